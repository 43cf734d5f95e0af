// The waiter keeps a lock that the signaller passes before it signals.
// deadlock: A B
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
        pthread_cond_wait(&ready, &m); //@A
    UNLOCK(m);
    UNLOCK(outer);
    END;
}
THREAD(signaller)
{
    LOCK(outer); //@B
    UNLOCK(outer);
    SLEEP(2);
    LOCK(m);
    flag = 1;
    pthread_cond_signal(&ready);
    UNLOCK(m);
    END;
}
int main(void)
{
    RUN(waiter, signaller);
    return 0;
}
