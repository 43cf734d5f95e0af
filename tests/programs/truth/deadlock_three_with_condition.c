// The waiter keeps a lock; the one who needs it keeps another; the signaller needs that.
// deadlock: A B C
#include "steps.h"
MUTEX(k);
MUTEX(l);
MUTEX(m);
pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
int flag;
THREAD(waiter)
{
    SLEEP(2);
    LOCK(k);
    LOCK(m);
    while (!flag)
        pthread_cond_wait(&ready, &m); //@A
    UNLOCK(m);
    UNLOCK(k);
    END;
}
THREAD(between)
{
    LOCK(l);
    LOCK(k); //@B
    UNLOCK(k);
    UNLOCK(l);
    END;
}
THREAD(signaller)
{
    SLEEP(1);
    LOCK(l); //@C
    UNLOCK(l);
    SLEEP(3);
    LOCK(m);
    flag = 1;
    pthread_cond_signal(&ready);
    UNLOCK(m);
    END;
}
int main(void)
{
    RUN(waiter, between, signaller);
    return 0;
}
