// The signal is sent after the mutex is released, which is fine: the flag was set under it.
#include "steps.h"
MUTEX(m);
pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
int flag;
THREAD(waiter)
{
    LOCK(m);
    while (!flag)
        pthread_cond_wait(&ready, &m);
    UNLOCK(m);
    END;
}
THREAD(signaller)
{
    SLEEP(2);
    LOCK(m);
    flag = 1;
    UNLOCK(m);
    pthread_cond_signal(&ready);
    END;
}
int main(void)
{
    RUN(waiter, signaller);
    return 0;
}
