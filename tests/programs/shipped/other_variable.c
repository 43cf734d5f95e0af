// Between the two halves other sections run, of this lock and of others, in a loop as well.
// breaks: settle
#include "../patience.h"
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, log_mutex = PTHREAD_MUTEX_INITIALIZER;
static int debt = 500, lines;

static void say(void)
{
    pthread_mutex_lock(&log_mutex);
    lines++;
    pthread_mutex_unlock(&log_mutex);
}

static void settle(int amount)
{
    pthread_mutex_lock(&mutex);
    int owed = debt;
#ifndef RIGHT
    pthread_mutex_unlock(&mutex);
#endif
    for (int i = 0; i < 3; i++)
        say();
#ifndef RIGHT
    pthread_mutex_lock(&mutex);
#endif
    debt = owed - amount;
    pthread_mutex_unlock(&mutex);
}

static void *run(void *unused)
{
    usleep(20000);
    settle(20);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    settle(100);
    pthread_join(thread, NULL);
    printf("%d after %d lines\n", debt, lines);
    return 0;
}
