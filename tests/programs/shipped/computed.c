// What was read goes through a function and a branch before it is written.
// breaks: advance
#include "../patience.h"
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned state = 1;

__attribute__((noinline)) static unsigned next(unsigned number)
{
    return number * 1103515245u + 12345u;
}

static void advance(unsigned seed)
{
    pthread_mutex_lock(&mutex);
    unsigned number = state;
#ifndef RIGHT
    pthread_mutex_unlock(&mutex);
#endif
    if (seed > 1)
        number = next(number) ^ seed;
    else
        number = next(next(number));
#ifndef RIGHT
    pthread_mutex_lock(&mutex);
#endif
    state = number;
    pthread_mutex_unlock(&mutex);
}

static void *run(void *unused)
{
    usleep(20000);
    advance(1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    advance(2);
    pthread_join(thread, NULL);
    printf("%u\n", state);
    return 0;
}
