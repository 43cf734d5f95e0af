// Two threads take turns under one lock, thousands of times: no operation gets lost,
// whenever one thread has to make room for the other.
// count 12000: acq(mutex)
// count 12000: rel(mutex)
// expect: w(counter)
// hb: none
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
long counter, others[64];

static void *work(void *unused)
{
    for (int i = 0; i < 6000; i++) {
        pthread_mutex_lock(&mutex);
        others[counter++ % 64] = i;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return counter != 12000;
}
