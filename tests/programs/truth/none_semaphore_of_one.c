// A semaphore with a count of one is a lock.
#include "steps.h"
sem_t slot;
int x;
THREAD(body)
{
    sem_wait(&slot);
    x++;
    sem_post(&slot);
    END;
}
int main(void)
{
    sem_init(&slot, 0, 1);
    RUN(body, body);
    return x == 2 ? 0 : 1;
}
