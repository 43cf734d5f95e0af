// A semaphore of one and a mutex, in two orders.
// deadlock: A B
#include "steps.h"
sem_t s;
MUTEX(m);
THREAD(a)
{
    sem_wait(&s);
    LOCK(m); //@A
    UNLOCK(m);
    sem_post(&s);
    END;
}
THREAD(b)
{
    SLEEP(1);
    LOCK(m);
    sem_wait(&s); //@B
    sem_post(&s);
    UNLOCK(m);
    END;
}
int main(void)
{
    sem_init(&s, 0, 1);
    RUN(a, b);
    return 0;
}
