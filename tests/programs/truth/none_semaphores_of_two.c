// Two semaphores in two orders, each with a count for both threads: nobody ever waits.
#include "steps.h"
sem_t m, n;
THREAD(a)
{
    sem_wait(&m);
    sem_wait(&n);
    sem_post(&n);
    sem_post(&m);
    END;
}
THREAD(b)
{
    SLEEP(1);
    sem_wait(&n);
    sem_wait(&m);
    sem_post(&m);
    sem_post(&n);
    END;
}
int main(void)
{
    sem_init(&m, 0, 2);
    sem_init(&n, 0, 2);
    RUN(a, b);
    return 0;
}
