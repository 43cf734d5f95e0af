// Two threads could wake the waiter; one of them needs none of its locks.
#include "steps.h"
MUTEX(outer);
MUTEX(m);
pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
int flag;
THREAD(waiter)
{
    SLEEP(1);
    LOCK(outer);
    LOCK(m);
    while (!flag)
        pthread_cond_wait(&ready, &m);
    UNLOCK(m);
    UNLOCK(outer);
    END;
}
THREAD(one)
{
    PASS(outer);
    SLEEP(4);
    LOCK(m);
    flag = 1;
    pthread_cond_signal(&ready);
    UNLOCK(m);
    END;
}
THREAD(two)
{
    SLEEP(3);
    LOCK(m);
    flag = 1;
    pthread_cond_signal(&ready);
    UNLOCK(m);
    END;
}
int main(void)
{
    RUN(waiter, one, two);
    return 0;
}
