/* A bounded queue under one mutex, polled: lock-heavy, short critical sections. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

enum { ITEMS = 600000, ROOM = 64 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long slots[ROOM], head, tail, sum;

static void *produce(void *unused)
{
    for (long item = 0; item < ITEMS;) {
        pthread_mutex_lock(&mutex);
        int full = tail - head == ROOM;
        if (!full)
            slots[tail++ % ROOM] = item++;
        pthread_mutex_unlock(&mutex);
        if (full)
            sched_yield();
    }
    return unused;
}

static void *consume(void *unused)
{
    for (long taken = 0; taken < ITEMS;) {
        pthread_mutex_lock(&mutex);
        int empty = tail == head;
        if (!empty) {
            sum += slots[head++ % ROOM];
            taken++;
        }
        pthread_mutex_unlock(&mutex);
        if (empty)
            sched_yield();
    }
    return unused;
}

int main(void)
{
    pthread_t producer, consumer;
    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    printf("%ld\n", sum);
    return 0;
}
