/* SPDX-License-Identifier: MIT */
#include "stepper/outside.h"

#include "stepper/operations.h"
#include "stepper/real.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FILES = 1024, AWAITED = 64 };

#define SLICE UINT64_C(10000000) /* nanoseconds after which what is no file is asked again */

/* By number. */
static bool inner[FILES];

void outside_made(int file)
{
    if (file >= 0 && file < FILES)
        inner[file] = true;
}

void outside_closed(int file)
{
    if (file >= 0 && file < FILES)
        inner[file] = false;
}

/* A child may have it as well. */
bool outside_is_inner(int file)
{
    return file >= 0 && file < FILES && inner[file] && !(stepper->unknown & STEP_BY_PROCESSES);
}

/* --- what is ready ------------------------------------------------------------------------------
 */

/* No cancellation point, and not one of our own functions. */
static int ask_kernel(struct pollfd *files, uint32_t count, uint64_t nanoseconds)
{
    struct timespec limit = {.tv_sec = (time_t)(nanoseconds / 1000000000),
                             .tv_nsec = (long)(nanoseconds % 1000000000)};
    return (int)syscall(SYS_ppoll, files, (nfds_t)count, &limit, NULL, 0);
}

static bool is_ready(const struct standing *standing)
{
    const struct outside *what = (const struct outside *)standing;
    siginfo_t child = {0};
    if (what->count && ask_kernel(what->files, what->count, 0) != 0)
        return true;
    if (!what->for_child)
        return false;
    int failed = (int)syscall(SYS_waitid, what->children, what->child, &child,
                              what->options | WNOHANG | WNOWAIT, NULL);
    return failed || child.si_pid;
}

/* --- really waiting -----------------------------------------------------------------------------
 */

struct awaited {
    struct pollfd files[AWAITED];
    uint32_t count;
    bool any;
};

static bool is_awaited(const struct stepped *thread)
{
    return stepper->thread[thread->id].state == STEP_STANDS && thread->outside &&
           !((const struct outside *)thread->outside)->inner;
}

static void add_awaited(struct awaited *awaited, const struct stepped *thread)
{
    if (!is_awaited(thread))
        return;
    const struct outside *what = (const struct outside *)thread->outside;
    awaited->any = true;
    for (uint32_t i = 0; i < what->count && awaited->count < AWAITED; i++)
        awaited->files[awaited->count++] = what->files[i];
}

static bool any_ready(const struct stepped *only)
{
    for (uint32_t i = 0; i < stepper->threads; i++) {
        const struct stepped *thread = step_thread(i);
        if ((!only || only == thread) && is_awaited(thread) && step_is_ready(thread))
            return true;
    }
    return false;
}

/* A handler ran here, in whoever waits for all: the first of them has been interrupted. */
static void interrupt_first(void)
{
    for (uint32_t i = 0; i < stepper->threads; i++)
        if (is_awaited(step_thread(i))) {
            stepper->unknown |= STEP_BY_SIGNALS;
            __atomic_store_n(&step_thread(i)->outside->interrupted, true, __ATOMIC_RELAXED);
            return;
        }
}

static uint64_t real_time(void)
{
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static bool await(const struct stepped *only, uint64_t nanoseconds)
{
    struct awaited awaited = {.count = 0};
    for (uint32_t i = 0; i < stepper->threads; i++)
        if (!only || only == step_thread(i))
            add_awaited(&awaited, step_thread(i));
    if (!awaited.any)
        return false;
    uint64_t begin = real_time(), waited = 0;
    stepper->unknown |= STEP_BY_INPUT;
    bool ready = any_ready(only);
    while (!ready && waited < nanoseconds) {
        uint64_t left = nanoseconds - waited;
        if (ask_kernel(awaited.files, awaited.count, left < SLICE ? left : SLICE) < 0 &&
            errno == EINTR)
            interrupt_first();
        ready = any_ready(only);
        waited = real_time() - begin;
    }
    step_pass(waited < nanoseconds ? waited : nanoseconds);
    return ready;
}

/* --- standing -----------------------------------------------------------------------------------
 */

/* A time limit may be over whenever the schedule says so. */
static enum outside_end come_back(const struct stepped *self, const struct outside *what)
{
    if (is_ready(&what->standing))
        return OUTSIDE_READY;
    if (!what->standing.timed || __atomic_load_n(&what->standing.interrupted, __ATOMIC_RELAXED))
        return OUTSIDE_INTERRUPTED;
    if (self->alarm > step_now())
        step_pass(self->alarm - step_now());
    return OUTSIDE_LATE;
}

enum outside_end outside_wait(struct stepped *self, struct outside *what, uint64_t nanoseconds,
                              uintptr_t pc)
{
    what->standing = (struct standing){.is_ready = is_ready, .await = await};
    what->standing.timed = nanoseconds != OUTSIDE_FOR_EVER;
    if (is_ready(&what->standing))
        return OUTSIDE_READY;
    if (what->standing.timed)
        self->alarm = step_now() + nanoseconds;
    for (;;) {
        step_outside(self, &what->standing, pc);
        bool cancelled = self->cancelled;
        step_test_cancel(self);
        if (!cancelled || is_ready(&what->standing))
            return come_back(self, what);
    }
}

static bool would_block(int file)
{
    struct stat status;
    int flags = fcntl(file, F_GETFL);
    return flags >= 0 && !(flags & O_NONBLOCK) && fstat(file, &status) == 0 &&
           !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

bool outside_wait_for(struct stepped *self, int file, short events, uintptr_t pc)
{
    struct pollfd one = {.fd = file, .events = events};
    struct outside what = {.files = &one, .count = 1, .inner = outside_is_inner(file)};
    if (!self || stepper->threads < 2 || !would_block(file))
        return false;
    return outside_wait(self, &what, OUTSIDE_FOR_EVER, pc) == OUTSIDE_INTERRUPTED;
}
