// Five philosophers, one after the other in the recorded run.
// deadlock: A A A A A
#include "steps.h"
pthread_mutex_t forks[5];
static void *dine(void *argument)
{
    long seat = (long)argument;
    usleep((unsigned)seat * 20000);
    LOCK(forks[seat]);
    LOCK(forks[(seat + 1) % 5]); //@A
    UNLOCK(forks[(seat + 1) % 5]);
    UNLOCK(forks[seat]);
    return NULL;
}
int main(void)
{
    pthread_t threads[5];
    for (long i = 0; i < 5; i++)
        pthread_mutex_init(&forks[i], NULL);
    for (long i = 0; i < 5; i++)
        pthread_create(&threads[i], NULL, dine, (void *)i);
    for (long i = 0; i < 5; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
