// Two sections in the body of a loop: what one turn writes and the next one reads is no block.
// breaks: run
#include "../patience.h"
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long total;

static void *run(void *argument)
{
    usleep(*(unsigned *)argument);
    for (int i = 1; i <= 3; i++) {
#ifdef RIGHT
        long seen;
        pthread_mutex_lock(&mutex);
        total += i;
        pthread_mutex_unlock(&mutex);
        pthread_mutex_lock(&mutex);
        seen = total;
        pthread_mutex_unlock(&mutex);
        if (seen < i)
            printf("never\n");
#else
        pthread_mutex_lock(&mutex);
        long before = total;
        pthread_mutex_unlock(&mutex);
        pthread_mutex_lock(&mutex);
        total = before + i;
        pthread_mutex_unlock(&mutex);
#endif
    }
    return NULL;
}

int main(void)
{
    static unsigned pauses[2] = {10000, 20000};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, &pauses[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%ld\n", total);
    return 0;
}
