// A semaphore that starts at zero hands x over.
#include "steps.h"
sem_t ready;
int x;
THREAD(a)
{
    SLEEP(1);
    x = 1;
    sem_post(&ready);
    END;
}
THREAD(b)
{
    sem_wait(&ready);
    x = 2;
    END;
}
int main(void)
{
    sem_init(&ready, 0, 0);
    RUN(a, b);
    return x == 2 ? 0 : 1;
}
