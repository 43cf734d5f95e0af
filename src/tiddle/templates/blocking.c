
/* A thread that waits at a condition variable or a barrier ends its step before
 * it calls the function that blocks. The next step first waits until that thread
 * is really inside: the lock or barrier word has changed then. A thread that
 * waits at a condition variable is parked there, in a signal handler, until the
 * step in which it wakes; nobody can take its signal or its mutex meanwhile. */
static unsigned *settling; /* the word that changes, NULL if nobody is about to block */
static unsigned settling_from, sleeper, parked;
static __thread unsigned wake_step;

UNSEEN void wait_for(unsigned step);

UNSEEN void park(int signal)
{
    int error = errno;
    (void)signal;
    add(&parked, 1);
    wait_for(wake_step);
    errno = error;
}

UNSEEN void about_to_block(void *word, unsigned step, unsigned woken_step, int sleeps)
{
    wake_step = PLACE(woken_step);
    if (replayed || wake_step == PLACE(step) + 1)
        return; /* nobody else does anything meanwhile */
    add(&settling_from, add(word, 0) - add(&settling_from, 0));
    add(&sleeper, (sleeps ? (unsigned)syscall(SYS_gettid) : 0) - add(&sleeper, 0));
    place(&settling, word);
}

UNSEEN void settle(void)
{
    unsigned *word = place(&settling, NULL);
    if (!word)
        return;
    while (add(word, 0) == add(&settling_from, 0))
        sched_yield();
    unsigned thread = add(&sleeper, 0);
    if (!thread)
        return;
    syscall(SYS_tgkill, getpid(), thread, SIGUSR2);
    while (add(&parked, 0) == 0)
        sched_yield();
    add(&parked, -1u);
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

/* A wait that ends without a signal. */
#define TIMED_WAIT(step, text, condition, mutex, woken_step, woken_text)                           \
    do {                                                                                           \
        struct timespec limit;                                                                     \
        await_step(step);                                                                          \
        clock_gettime(CLOCK_REALTIME, &limit);                                                     \
        limit.tv_nsec += 200000000;                                                                \
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
