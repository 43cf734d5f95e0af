/* What makes the bugs of these programs rare: the thread that is in time only by luck has begun
 * long before others need what it does, since other threads are begun, compute and are joined
 * meanwhile. A log with a lock of its own hides the missing order from detectors that see the run
 * only.
 *
 * Built with -DRIGHT each program is its correct twin: it locks, or waits for the thread in time.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

static inline void say(const char *text)
{
    pthread_mutex_lock(&log_lock);
    fprintf(stderr, "%s\n", text);
    pthread_mutex_unlock(&log_lock);
}

static inline void *compute(void *sum)
{
    volatile unsigned long value = 1;
    for (int i = 0; i < 1000000; i++)
        value = value * 25214903917ul + 11;
    return sum;
}

/* As long as several threads need, one after the other. */
static inline void do_other_things(void)
{
    for (int i = 0; i < 16; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, compute, NULL);
        pthread_join(thread, NULL);
    }
}

static inline pthread_t begin(void *(*body)(void *))
{
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    return thread;
}

#ifdef RIGHT
#define LOCK_IF_RIGHT(lock)   pthread_mutex_lock(lock)
#define UNLOCK_IF_RIGHT(lock) pthread_mutex_unlock(lock)
#else
#define LOCK_IF_RIGHT(lock)   (void)(lock)
#define UNLOCK_IF_RIGHT(lock) (void)(lock)
#endif

/* What should have been done before the thread's work was used, and is done at the end. */
#ifdef RIGHT
#define JOIN_IF_RIGHT(thread) pthread_join(thread, NULL)
#define JOIN_IF_WRONG(thread) (void)(thread)
#else
#define JOIN_IF_RIGHT(thread) (void)(thread)
#define JOIN_IF_WRONG(thread) pthread_join(thread, NULL)
#endif
