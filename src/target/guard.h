/* SPDX-License-Identifier: MIT */
/* Runs a program that must not outlive us, whatever ends us.
 *
 *     preplay -- guard -- [first process of a PID namespace --] program -- its children
 *
 * The guard is told by the kernel when we die, also by SIGKILL, and ends all that it started.
 * In a PID namespace the kernel does that even if the guard is killed itself, for every
 * process however far it has run away; and no process of the program can signal one that is
 * not its own. Where there is none, the guard adopts what the program leaves behind and kills
 * that. A recorded program is the user's own: it has no guard. */
#ifndef PREPLAY_TARGET_GUARD_H
#define PREPLAY_TARGET_GUARD_H

#include "base/error.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* Sent to the guard: ends all that it guards. SIGTERM and SIGHUP it passes on to the program. */
#define GUARD_END SIGUSR1
/* As which it is listed: who kills all that is called preplay leaves it time to do its work. */
#define GUARD_NAME "replay-guard"

struct guard_task {
    /* In the guard, before anything is started: 0, or -1 with an error. May be NULL. */
    int (*enter)(void *context, struct error *error);
    /* In the program's own process; returns only if it failed, with errno. */
    void (*become)(void *context);
    void *context;
    bool own_processes; /* a PID namespace of its own, and /proc with it; after enter() */
    pid_t id;           /* in that namespace, where the kernel allows it; 0: any */
    bool whole_family;  /* it has ended when its last child has */
};

struct guard {
    pid_t process;           /* of the guard: to be waited for; 0: there is none */
    bool own_processes;      /* of the task */
    struct guard_page *page; /* shared with it */
    int alive;               /* a pipe's end that closes with us */
};

/* 0 once the program is running, -1 with an error. guard_free() when the guard was waited for. */
int guard_start(struct guard *guard, const struct guard_task *task, struct error *error);
/* How the program ended, as from waitpid(); killed, if the guard cannot tell. */
int guard_status(const struct guard *guard);
void guard_free(struct guard *guard);

#endif
