
/* Nobody promises that the signal comes after the wait: it ends after a while. */
#define WAIT(step, text, condition, mutex, woken_step, woken_text)                                 \
    do {                                                                                           \
        struct timespec limit;                                                                     \
        await_step(step);                                                                          \
        done_step(text);                                                                           \
        clock_gettime(CLOCK_REALTIME, &limit);                                                     \
        limit.tv_sec += 1;                                                                         \
        pthread_cond_timedwait(&condition, &mutex, &limit);                                        \
        await_step(woken_step);                                                                    \
        done_step(woken_text);                                                                     \
    } while (0)
#define TIMED_WAIT WAIT

#define BARRIER(step, text, barrier, exit_step, exit_text)                                         \
    do {                                                                                           \
        await_step(step);                                                                          \
        done_step(text);                                                                           \
        pthread_barrier_wait(&barrier);                                                            \
        await_step(exit_step);                                                                     \
        done_step(exit_text);                                                                      \
    } while (0)
