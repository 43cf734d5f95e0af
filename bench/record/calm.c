/* A program that computes and now and then takes a lock: about 70,000 times a second. For
 * the price of --sync-only. */
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 2, ROUNDS = 25000, WORK = 25000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned long total;

static void *run(void *unused)
{
    unsigned long state = 1;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < WORK; i++)
            state = state * 6364136223846793005ul + 1442695040888963407ul;
        pthread_mutex_lock(&mutex);
        total += state;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%lu\n", total);
    return 0;
}
