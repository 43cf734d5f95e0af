// The last seat is sold twice: a check and an act on it, each in a section of its own.
// breaks: sell
#include "../patience.h"
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int seats = 2;

static int are_left(void)
{
    pthread_mutex_lock(&mutex);
    int left = seats > 0;
    pthread_mutex_unlock(&mutex);
    return left;
}

static int sell(void)
{
    if (!are_left())
        return 0;
    pthread_mutex_lock(&mutex);
#ifdef RIGHT
    if (seats == 0) {
        pthread_mutex_unlock(&mutex);
        return 0;
    }
#endif
    seats--;
    pthread_mutex_unlock(&mutex);
    return 1;
}

static void *run(void *unused)
{
    usleep(20000);
    sell();
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    sell();
    pthread_join(thread, NULL);
    printf("%d\n", seats);
    return 0;
}
