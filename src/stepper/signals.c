/* SPDX-License-Identifier: MIT */
/* Signals from one thread to another that waits for them with sigwait(). Such a signal is blocked:
 * it is pending until the thread takes it, as a semaphore of the thread's own. Signals that come
 * from elsewhere, or run a handler, come when they like, and that is noted. */
#include "stepper/operations.h"
#include "stepper/real.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t bit_of(int number)
{
    return number > 0 && number <= 64 ? UINT64_C(1) << (number - 1) : 0;
}

static uint64_t bits_of(const sigset_t *set)
{
    uint64_t bits = 0;
    for (int number = 1; number <= 64; number++)
        if (sigismember(set, number) == 1)
            bits |= bit_of(number);
    return bits;
}

/* Of whatever thread: only the kernel knows. A thread that was just created is waited for, so that
 * the answer is the same in every run. */
static uint64_t blocked_by(const struct stepped *thread)
{
    char path[64], text[4096];
    while (!__atomic_load_n(&thread->task, __ATOMIC_ACQUIRE))
        usleep(100);
    snprintf(path, sizeof path, "/proc/self/task/%d/status", thread->task);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? 0 : REAL(read)(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    text[length > 0 ? length : 0] = '\0';
    const char *line = strstr(text, "SigBlk:");
    return line ? strtoull(line + 7, NULL, 16) : 0;
}

static struct stepped *thread_of(pthread_t thread)
{
    for (uint32_t i = stepper->threads; i-- > 0;)
        if (step_thread(i)->pthread == (uint64_t)thread)
            return stepper->thread[i].state == STEP_ENDED ? NULL : step_thread(i);
    return NULL;
}

FUNCTION(int, pthread_kill, (pthread_t thread, int number))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(pthread_kill)(thread, number);
    self->inside = true;
    struct stepped *other = thread_of(thread);
    bool waits = other && number > 0 && blocked_by(other) & bit_of(number);
    self->inside = false;
    if (!waits || other->sent & bit_of(number)) { /* two of one kind are pending as one */
        stepper->unknown |= STEP_BY_SIGNALS;
        return waits ? 0 : REAL(pthread_kill)(thread, number);
    }
    step_perform(self, STEP_POST, 0, (uintptr_t)&other->sent, 0, CALLER);
    other->sent |= bit_of(number);
    return 0;
}

/* One that stands and waits for it. */
static struct stepped *waiting_for(int number)
{
    for (uint32_t i = 0; i < stepper->threads; i++) {
        struct stepped *thread = step_thread(i);
        if (stepper->thread[i].state == STEP_STANDS && thread->awaited & bit_of(number))
            return thread;
    }
    return NULL;
}

/* To the program itself, which blocks it: who waits for it gets it; if nobody does, it is pending
 * for who comes. */
FUNCTION(int, kill, (pid_t process, int number))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(kill)(process, number);
    stepper->unknown |= STEP_BY_SIGNALS;
    struct stepped *other = process == getpid() ? waiting_for(number) : NULL;
    self->inside = true;
    bool waits = other && blocked_by(self) & bit_of(number);
    self->inside = false;
    if (!waits || other->sent & bit_of(number))
        return REAL(kill)(process, number);
    step_perform(self, STEP_POST, 0, (uintptr_t)&other->sent, 0, CALLER);
    other->sent |= bit_of(number);
    return 0;
}

/* Something that came from elsewhere is taken first. */
static bool is_pending(const sigset_t *set)
{
    sigset_t pending;
    return sigpending(&pending) == 0 && bits_of(&pending) & bits_of(set);
}

/* The signal that was sent. */
static int take(struct stepped *self, const sigset_t *set, uintptr_t pc)
{
    for (;;) {
        self->awaited = bits_of(set);
        bool sent = step_perform(self, STEP_WAIT, 0, (uintptr_t)&self->sent, 0, pc);
        self->awaited = 0;
        if (!sent) {
            step_test_cancel(self);
            continue;
        }
        uint64_t wanted = self->sent & bits_of(set);
        if (wanted) {
            int number = __builtin_ctzll(wanted) + 1;
            self->sent &= ~bit_of(number);
            return number;
        }
        stepper->unknown |= STEP_BY_SIGNALS; /* one that it waits for elsewhere */
    }
}

FUNCTION(int, sigwait, (const sigset_t *set, int *number))
{
    struct stepped *self = stepped_current();
    if (self)
        stepper->unknown |= STEP_BY_SIGNALS; /* who knows what comes from outside */
    if (!self || is_pending(set))
        return REAL(sigwait)(set, number);
    *number = take(self, set, CALLER);
    return 0;
}

FUNCTION(int, sigwaitinfo, (const sigset_t *set, siginfo_t *info))
{
    struct stepped *self = stepped_current();
    if (self)
        stepper->unknown |= STEP_BY_SIGNALS;
    if (!self || is_pending(set))
        return REAL(sigwaitinfo)(set, info);
    int number = take(self, set, CALLER);
    if (info)
        *info = (siginfo_t){.si_signo = number, .si_code = SI_TKILL};
    return number;
}
