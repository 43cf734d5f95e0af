// The waiter is woken and needs the mutex again while it holds the other lock; the
// signaller holds the mutex and needs that lock. The same without the wait, too.
// deadlock: A B
// deadlock: C B
#include "steps.h"
MUTEX(other);
MUTEX(m);
pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
int signalled;
THREAD(waiter)
{
    LOCK(other);
    LOCK(m); //@C
    while (!signalled)
        pthread_cond_wait(&ready, &m); //@A
    UNLOCK(m);
    UNLOCK(other);
    END;
}
THREAD(signaller)
{
    SLEEP(1);
    LOCK(m);
    signalled = 1;
    pthread_cond_signal(&ready);
    UNLOCK(m);
    SLEEP(1);
    LOCK(m);
    LOCK(other); //@B
    UNLOCK(other);
    UNLOCK(m);
    END;
}
int main(void)
{
    RUN(waiter, signaller);
    return 0;
}
