// The semaphore of one that happens to order the two writes is a lock for something else.
// race: A B
#include "steps.h"
sem_t lock;
int x;
THREAD(a)
{
    x = 1; //@A
    sem_wait(&lock);
    sem_post(&lock);
    END;
}
THREAD(b)
{
    SLEEP(1);
    sem_wait(&lock);
    sem_post(&lock);
    x = 2; //@B
    END;
}
int main(void)
{
    sem_init(&lock, 0, 1);
    RUN(a, b);
    return 0;
}
