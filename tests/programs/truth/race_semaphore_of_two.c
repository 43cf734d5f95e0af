// A semaphore with a count of two, used as if it were a lock.
// race: A B
#include "steps.h"
sem_t slots;
int x;
THREAD(a)
{
    sem_wait(&slots);
    x = 1; //@A
    sem_post(&slots);
    END;
}
THREAD(b)
{
    SLEEP(1);
    sem_wait(&slots);
    x = 2; //@B
    sem_post(&slots);
    END;
}
int main(void)
{
    sem_init(&slots, 0, 2);
    RUN(a, b);
    return 0;
}
