/* 10^5 synchronisation events, and a race at the end that the lock hides: what is
 * measured is how long the way there takes.
 * rounds THREADS WORK: WORK iterations of arithmetic inside and outside the lock. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total, threads, work;
static int last;

static long spin(long seed)
{
    for (long i = 0; i < work; i++)
        seed = seed * 6364136223846793005L + 1442695040888963407L;
    return seed;
}

static void *run(void *argument)
{
    long seed = (long)argument;
    for (long i = 0; i < 50000 / threads; i++) {
        seed = spin(seed);
        pthread_mutex_lock(&lock);
        total += spin(seed) & 1;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *first(void *unused)
{
    last = 1;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t all[64], one;
    threads = argc > 1 ? atol(argv[1]) : 2;
    work = argc > 2 ? atol(argv[2]) : 0;
    for (long i = 0; i < threads; i++)
        pthread_create(&all[i], NULL, run, (void *)i);
    for (long i = 0; i < threads; i++)
        pthread_join(all[i], NULL);
    pthread_create(&one, NULL, first, NULL);
    usleep(10000);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    last = 2;
    pthread_join(one, NULL);
    printf("%ld %d\n", total, last);
    return 0;
}
