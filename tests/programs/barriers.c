// count 12: enter(barrier)
// count 12: exit(barrier)
// hb: none
#include <pthread.h>

pthread_barrier_t barrier;
int rounds[4];

static void *run(void *argument)
{
    long self = (long)argument;
    for (int round = 0; round < 3; round++) {
        rounds[(self + round) % 4]++;
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[4];
    pthread_barrier_init(&barrier, NULL, 4);
    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, run, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
