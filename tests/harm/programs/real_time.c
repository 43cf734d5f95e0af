/* Threads of real-time priority and ordinary ones at the same atomics and locks, on one processor:
 * whoever waits for an ordinary one without giving up the processor waits for ever. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static _Atomic long counter;
static _Atomic int stop;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long sum;

static void *ordinary(void *unused)
{
    while (!atomic_load(&stop))
        atomic_fetch_add(&counter, 1);
    return unused;
}

static void *urgent(void *unused)
{
    for (int i = 0; i < 1000; i++) {
        usleep(100);
        for (int k = 0; k < 20; k++)
            atomic_fetch_add(&counter, 1);
        pthread_mutex_lock(&mutex);
        sum++;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void)
{
    pthread_t low[2], high[2];
    cpu_set_t first;
    pthread_attr_t attributes;
    struct sched_param priority = {.sched_priority = 50};
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    sched_setaffinity(0, sizeof first, &first);
    pthread_attr_init(&attributes);
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
    pthread_attr_setschedparam(&attributes, &priority);
    for (int i = 0; i < 2; i++)
        pthread_create(&low[i], NULL, ordinary, NULL);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&high[i], &attributes, urgent, NULL)) {
            puts("real-time threads are not allowed here");
            return 77;
        }
    for (int i = 0; i < 2; i++)
        pthread_join(high[i], NULL);
    atomic_store(&stop, 1);
    for (int i = 0; i < 2; i++)
        pthread_join(low[i], NULL);
    printf("%ld\n", sum);
    return 0;
}
