// waits without a predicate check: if the signal comes first, waits forever
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;
static void *producer(void *a)
{
    (void)a;
    usleep(100000);
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, producer, 0);
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m);
    printf("ready %d\n", ready);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
}
