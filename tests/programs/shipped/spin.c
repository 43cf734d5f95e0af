// A spin lock around each half of an update of what lies in the heap.
// breaks: add
#include "../patience.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct meter {
    pthread_spinlock_t lock;
    long total;
    long peak;
};

static void add(struct meter *meter, long amount)
{
    pthread_spin_lock(&meter->lock);
    long total = meter->total;
#ifndef RIGHT
    pthread_spin_unlock(&meter->lock);
    pthread_spin_lock(&meter->lock);
#endif
    meter->total = total + amount;
    pthread_spin_unlock(&meter->lock);
}

static void *run(void *meter)
{
    usleep(20000);
    add(meter, 2);
    return NULL;
}

int main(void)
{
    struct meter *meter = calloc(1, sizeof *meter);
    pthread_t thread;
    pthread_spin_init(&meter->lock, 0);
    pthread_create(&thread, NULL, run, meter);
    add(meter, 1);
    pthread_join(thread, NULL);
    printf("%ld\n", meter->total);
    free(meter);
    return 0;
}
