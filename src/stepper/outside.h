/* SPDX-License-Identifier: MIT */
/* Threads that wait for something outside of what is stepped: files, sockets, children. While one
 * does, others run, and it is asked again; only when nobody else can go on is there really a wait.
 */
#ifndef PREPLAY_STEPPER_OUTSIDE_H
#define PREPLAY_STEPPER_OUTSIDE_H

#include "stepper/steps.h"

#include <poll.h>
#include <sys/types.h>
#include <sys/wait.h>

struct outside {
    struct standing standing;
    struct pollfd *files; /* one of them is ready; poll() wants to write here */
    uint32_t count;
    bool for_child; /* or such a child has changed */
    idtype_t children;
    id_t child;
    int options; /* as waitid() has them */
    bool inner;  /* only this program's threads can make it ready */
};

enum outside_end { OUTSIDE_READY, OUTSIDE_LATE, OUTSIDE_INTERRUPTED };

#define OUTSIDE_FOR_EVER UINT64_MAX

/* Until it is ready, or for so many nanoseconds of virtual time. At once if it is ready now. */
enum outside_end outside_wait(struct stepped *self, struct outside *what, uint64_t nanoseconds,
                              uintptr_t pc);
/* The same, for one file that is no regular one and would block; true if it was interrupted. */
bool outside_wait_for(struct stepped *self, int file, short events, uintptr_t pc);

/* Files that only this process has: what one thread waits for, another one does. */
void outside_made(int file);
void outside_closed(int file);
bool outside_is_inner(int file);

#endif
