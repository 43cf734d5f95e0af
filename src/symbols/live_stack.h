/* SPDX-License-Identifier: MIT */
/* The call stack of a thread of a running process, by the unwinding tables of its modules. The
 * thread is stopped for it, and goes on afterwards. */
#ifndef PREPLAY_SYMBOLS_LIVE_STACK_H
#define PREPLAY_SYMBOLS_LIVE_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { LIVE_FRAMES = 48 };

struct live_frame {
    char *function; /* as its symbol has it, or NULL */
    char *place;    /* path:line:column, or the module's name */
    bool own;       /* of the program, not of the C and C++ libraries */
};

/* Innermost first; without the frames of the recorder and of the signal that it may be in. 0 if the
 * kernel does not let this process look at that one. */
size_t live_stack(pid_t process, pid_t thread, struct live_frame frames[LIVE_FRAMES]);
void live_stack_free(struct live_frame *frames, size_t count);

#endif
