/* What the programs here share. A program is a few thread bodies and RUN(...) of
 * them; SLEEP() steers the recorded run, so that the error does not happen in it, at any
 * speed of the machine (patience.h). */
#ifndef STEPS_H
#define STEPS_H

#include "../patience.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

#define THREAD(name)  static void *name(void *unused)
#define END           return unused
#define SLEEP(steps)  usleep((steps)*25000u)
#define MUTEX(name)   pthread_mutex_t name = PTHREAD_MUTEX_INITIALIZER
#define LOCK(mutex)   pthread_mutex_lock(&(mutex))
#define UNLOCK(mutex) pthread_mutex_unlock(&(mutex))
#define PASS(mutex)   (LOCK(mutex), UNLOCK(mutex))

static inline int run_all(size_t count, void *(*const bodies[])(void *))
{
    pthread_t threads[32];
    for (size_t i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, bodies[i], NULL);
    for (size_t i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

#define RUN(...)                                                                                   \
    do {                                                                                           \
        void *(*const bodies[])(void *) = {__VA_ARGS__};                                           \
        run_all(sizeof bodies / sizeof *bodies, bodies);                                           \
    } while (0)

#endif
