// A floating-point number.
// breaks: learn
#include "../patience.h"
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static double average = 10;

static void learn(double sample)
{
    pthread_mutex_lock(&mutex);
    double before = average;
#ifndef RIGHT
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
#endif
    average = before * 0.875 + sample * 0.125;
    pthread_mutex_unlock(&mutex);
}

static void *run(void *unused)
{
    usleep(20000);
    learn(90);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    learn(50);
    pthread_join(thread, NULL);
    printf("%.3f\n", average);
    return 0;
}
