// Two semaphores of one, used as locks, in two orders.
// deadlock: A B
#include "steps.h"
sem_t m, n;
THREAD(a)
{
    sem_wait(&m);
    sem_wait(&n); //@A
    sem_post(&n);
    sem_post(&m);
    END;
}
THREAD(b)
{
    SLEEP(1);
    sem_wait(&n);
    sem_wait(&m); //@B
    sem_post(&m);
    sem_post(&n);
    END;
}
int main(void)
{
    sem_init(&m, 0, 1);
    sem_init(&n, 0, 1);
    RUN(a, b);
    return 0;
}
