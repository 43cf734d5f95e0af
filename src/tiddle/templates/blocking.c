
/* A thread that waits at a condition variable or a barrier ends its step before
 * it calls the function that blocks. The next step first waits until that thread
 * is really inside: the lock or barrier word has changed then. A thread that
 * waits at a condition variable is parked there, in a signal handler, until the
 * step in which it wakes; nobody can take its signal or its mutex meanwhile. */
static unsigned *settling; /* the word that changes, NULL if nobody is about to block */
static unsigned settling_from, parked;
static unsigned sleepers[STEPS]; /* by step of a wait: the thread that is in it */
static unsigned sleeper;         /* who is about to wait, 0: at a barrier */
static unsigned leaving;         /* who shall leave its condition variable */
static __thread unsigned wake_step;

UNSEEN void settle(void);

UNSEEN void set(unsigned *word, unsigned value)
{
    add(word, value - add(word, 0));
}

UNSEEN void park(int signal)
{
    int error = errno;
    unsigned now, self = (unsigned)syscall(SYS_gettid);
    (void)signal;
    add(&parked, 1);
    while ((now = add(&turn, 0)) != wake_step && add(&leaving, 0) != self)
        syscall(SYS_futex, &turn, FUTEX_WAIT_BITSET_PRIVATE, now, NULL, NULL, ~0u);
    if (now == wake_step)
        settle();
    errno = error;
}

UNSEEN void send_to_sleep(unsigned thread)
{
    syscall(SYS_tgkill, getpid(), thread, SIGUSR2);
    while (add(&parked, 0) == 0)
        sched_yield();
    add(&parked, -1u);
}

UNSEEN void about_to_block(void *word, unsigned step, unsigned woken_step, int sleeps)
{
    wake_step = PLACE(woken_step);
    if (replayed || wake_step == PLACE(step) + 1)
        return; /* nobody else does anything meanwhile */
    set(&settling_from, add(word, 0));
    set(&sleeper, sleeps ? (unsigned)syscall(SYS_gettid) : 0);
    set(&sleepers[step], add(&sleeper, 0));
    place(&settling, word);
}

UNSEEN void settle(void)
{
    unsigned *word = place(&settling, NULL);
    if (!word)
        return;
    while (add(word, 0) == add(&settling_from, 0))
        sched_yield();
    if (add(&sleeper, 0))
        send_to_sleep(add(&sleeper, 0));
}

/* The thread that waits since `step` was signalled. A thread that keeps its signal
 * would block later ones, so it goes on until it wants its mutex back, which looks
 * taken (1, or 2 once somebody wants it), and is parked there. */
UNSEEN void leave(unsigned step, void *mutex)
{
    unsigned *word = mutex, was = add(word, 0);
    if (replayed)
        return;
    set(word, 1);
    set(&leaving, add(&sleepers[step], 0));
    while (add(word, 0) != 2) {
        syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
        sched_yield();
    }
    set(&leaving, 0);
    send_to_sleep(add(&sleepers[step], 0));
    if (was == 0)
        set(word, 0);
}

#define WAIT(step, text, condition, mutex, woken_step, woken_text)                                 \
    do {                                                                                           \
        await_step(step);                                                                          \
        about_to_block(&mutex, step, woken_step, 1);                                                   \
        done_step(text);                                                                           \
        pthread_cond_wait(&condition, &mutex);                                                     \
        await_step(woken_step);                                                                    \
        done_step(woken_text);                                                                     \
    } while (0)

/* A wait that ends without a signal: long enough for the next step to see the thread inside, on a
 * busy machine, too. */
#define TIMED_WAIT(step, text, condition, mutex, woken_step, woken_text)                           \
    do {                                                                                           \
        struct timespec limit;                                                                     \
        await_step(step);                                                                          \
        clock_gettime(CLOCK_REALTIME, &limit);                                                     \
        limit.tv_nsec += 500000000;                                                                \
        limit.tv_sec += limit.tv_nsec / 1000000000;                                                \
        limit.tv_nsec %= 1000000000;                                                               \
        about_to_block(&mutex, step, woken_step, 1);                                \
        done_step(text);                                                                           \
        pthread_cond_timedwait(&condition, &mutex, &limit);                                        \
        await_step(woken_step);                                                                    \
        done_step(woken_text);                                                                     \
    } while (0)

#define BARRIER(step, text, barrier, exit_step, exit_text)                                         \
    do {                                                                                           \
        await_step(step);                                                                          \
        about_to_block(&barrier, step, exit_step, 0);                                                    \
        done_step(text);                                                                           \
        pthread_barrier_wait(&barrier);                                                            \
        await_step(exit_step);                                                                     \
        done_step(exit_text);                                                                      \
    } while (0)
