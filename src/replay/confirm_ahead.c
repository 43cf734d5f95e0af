/* SPDX-License-Identifier: MIT */
#include "replay/confirm_ahead.h"

#include "base/interruption.h"
#include "replay/settling.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct ahead_run *confirm_ahead_add(struct confirm_ahead *ahead, const struct confirm_job *job,
                                    bool consequences)
{
    if (!ahead->runs) {
        void *memory = mmap(NULL, CONFIRM_AHEAD_MOST * sizeof *ahead->runs, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        ahead->runs = memory == MAP_FAILED ? NULL : memory;
    }
    if (!ahead->runs || ahead->count == CONFIRM_AHEAD_MOST)
        return NULL;
    struct ahead_run *run = &ahead->runs[ahead->count++];
    run->job = job;
    run->consequences = consequences;
    run->done = false;
    return run;
}

/* In a process of its own. What it finds out of the usual output would be lost with it: whoever
 * needs that says so, and is run again by the caller. */
static void make_one(struct ahead_run *run, struct settling settling, unsigned lane)
{
    struct error ignored = {0};
    settling.lane = lane;
    settling.consequences = run->consequences;
    settling.ahead = true;
    bool good =
        settling_try(&settling, run->job->finding, SCHEDULE_NEEDED, &run->settled, &ignored) == 0;
    run->done = good && !run->settled.wants_usual && !run->settled.interrupted;
    if (run->done)
        settling_bring_home(&settling, run->job->id);
}

static pid_t start(struct ahead_run *run, const struct settling *settling, unsigned lane)
{
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        /* A user's interruption is told by the parent, once. */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setpgid(0, 0);
        interruption_expect("", "");
        if (getppid() == parent)
            make_one(run, *settling, lane);
        _exit(0);
    }
    return child;
}

/* The user's interruption is for them, too. */
static void wait_for(pid_t child)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    bool told = false;
    pid_t ended;
    while ((ended = waitpid(child, NULL, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
        if (interruption_asked() && !told)
            told = kill(child, SIGINT) == 0;
        nanosleep(&pause, NULL);
    }
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void confirm_ahead_make(struct confirm_ahead *ahead, const struct settling *settling)
{
    pid_t children[CONFIRM_AHEAD_MOST];
    double begun = now();
    for (size_t i = 0; i < ahead->count; i++)
        children[i] = start(&ahead->runs[i], settling, (unsigned)i);
    for (size_t i = 0; i < ahead->count; i++)
        if (children[i] > 0)
            wait_for(children[i]);
    for (size_t i = 0; i < ahead->count; i++)
        ahead->runs[i].seconds = (now() - begun) / (double)ahead->count;
}

static void drop(struct confirm_ahead *ahead, struct ahead_run *run)
{
    ahead->dropped_seconds += run->seconds;
    ahead->dropped += run->settled.runs;
    run->job = NULL;
}

bool confirm_ahead_take(struct confirm_ahead *ahead, const struct confirm_job *job,
                        bool consequences, struct settled *settled, double *seconds)
{
    for (size_t i = 0; i < ahead->count; i++) {
        struct ahead_run *run = &ahead->runs[i];
        if (run->job != job)
            continue;
        if (!run->done || run->consequences != consequences) {
            drop(ahead, run);
            return false;
        }
        *settled = run->settled;
        *seconds = run->seconds;
        run->job = NULL;
        return true;
    }
    return false;
}

void confirm_ahead_drop(struct confirm_ahead *ahead)
{
    for (size_t i = 0; i < ahead->count; i++)
        if (ahead->runs[i].job)
            drop(ahead, &ahead->runs[i]);
    ahead->count = 0;
}

void confirm_ahead_free(struct confirm_ahead *ahead)
{
    if (ahead->runs)
        munmap(ahead->runs, CONFIRM_AHEAD_MOST * sizeof *ahead->runs);
    *ahead = (struct confirm_ahead){0};
}
