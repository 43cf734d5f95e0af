/* SPDX-License-Identifier: MIT */
/* Calls whose outcome may depend on the schedule in a way that no event tells: they are performed
 * as they are, and noted, so that nobody takes what was seen for all there is. */
#include "stepper/doubts.h"

#include "stepper/operations.h"
#include "stepper/real.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void note(enum step_unknown what)
{
    if (stepped_current())
        stepper->unknown |= what;
}

void doubt_threads(enum step_unknown what)
{
    if (stepped_current() && stepper->threads > 1)
        stepper->unknown |= what;
}

void doubt_input(int file)
{
    static uint32_t reader; /* thread + 1 */
    struct stat status;
    struct stepped *self = stepped_current();
    if (!self || stepper->threads < 2)
        return;
    if (!reader)
        reader = self->id + 1;
    if (reader != self->id + 1 || fstat(file, &status) || !S_ISREG(status.st_mode) ||
        (fcntl(file, F_GETFL) & O_ACCMODE) != O_RDONLY)
        stepper->unknown |= STEP_BY_INPUT;
}

/* `before` is done, then the call as it is. */
#define NOTED(before, result, name, parameters, arguments)                                         \
    FUNCTION(result, name, parameters)                                                             \
    {                                                                                              \
        before;                                                                                    \
        return REAL(name) arguments;                                                               \
    }
#define PROCESS(name, parameters, arguments)                                                       \
    NOTED(note(STEP_BY_PROCESSES), int, name, parameters, arguments)
#define SIGNAL(name, parameters, arguments)                                                        \
    NOTED(note(STEP_BY_SIGNALS), int, name, parameters, arguments)
#define LIBRARY(result, name, parameters, arguments)                                               \
    NOTED(doubt_threads(STEP_BY_LIBRARY), result, name, parameters, arguments)
#define INPUT(file, result, name, parameters, arguments)                                           \
    NOTED(doubt_input(file), result, name, parameters, arguments)

/* --- processes ----------------------------------------------------------------------------------
 */

PROCESS(system, (const char *command), (command))
PROCESS(posix_spawn,
        (pid_t * child, const char *path, const posix_spawn_file_actions_t *actions,
         const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]),
        (child, path, actions, attributes, argv, envp))
PROCESS(posix_spawnp,
        (pid_t * child, const char *path, const posix_spawn_file_actions_t *actions,
         const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]),
        (child, path, actions, attributes, argv, envp))
PROCESS(execve, (const char *path, char *const argv[], char *const envp[]), (path, argv, envp))
PROCESS(execv, (const char *path, char *const argv[]), (path, argv))
PROCESS(execvp, (const char *path, char *const argv[]), (path, argv))
NOTED(note(STEP_BY_PROCESSES), FILE *, popen, (const char *command, const char *type),
      (command, type))

/* --- signals ------------------------------------------------------------------------------------
 */

SIGNAL(setitimer, (__itimer_which_t which, const struct itimerval *value, struct itimerval *old),
       (which, value, old))
SIGNAL(timer_create, (clockid_t clock, struct sigevent *event, timer_t *timer),
       (clock, event, timer))
SIGNAL(sigtimedwait, (const sigset_t *set, siginfo_t *info, const struct timespec *limit),
       (set, info, limit))
SIGNAL(sigsuspend, (const sigset_t *set), (set))
SIGNAL(pause, (void), ())
SIGNAL(signalfd, (int file, const sigset_t *set, int flags), (file, set, flags))
NOTED(note(STEP_BY_SIGNALS), unsigned, alarm, (unsigned seconds), (seconds))

/* --- input --------------------------------------------------------------------------------------
 */

INPUT(file, ssize_t, pread, (int file, void *to, size_t size, off_t at), (file, to, size, at))

/* --- what the C library keeps -------------------------------------------------------------------
 */

LIBRARY(int, rand, (void), ())
LIBRARY(long, random, (void), ())
LIBRARY(double, drand48, (void), ())
LIBRARY(long, lrand48, (void), ())
LIBRARY(char *, strtok, (char *text, const char *between), (text, between))
