// The twin: the signaller needs the waiter's other lock only after its signal.
#include "steps.h"
MUTEX(outer);
MUTEX(m);
pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
int flag;
THREAD(waiter)
{
    LOCK(outer);
    LOCK(m);
    while (!flag)
        pthread_cond_wait(&ready, &m);
    UNLOCK(m);
    UNLOCK(outer);
    END;
}
THREAD(signaller)
{
    SLEEP(1);
    LOCK(m);
    flag = 1;
    pthread_cond_signal(&ready);
    UNLOCK(m);
    PASS(outer);
    END;
}
int main(void)
{
    RUN(waiter, signaller);
    return 0;
}
