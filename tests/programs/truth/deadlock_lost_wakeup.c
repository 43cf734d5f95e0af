// A wait without a predicate: if the signal comes first, nobody wakes the waiter.
// deadlock: A
#include "steps.h"
MUTEX(m);
pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
THREAD(waiter)
{
    LOCK(m);
    pthread_cond_wait(&ready, &m); //@A
    UNLOCK(m);
    END;
}
THREAD(signaller)
{
    SLEEP(2);
    LOCK(m);
    pthread_cond_signal(&ready);
    UNLOCK(m);
    END;
}
int main(void)
{
    RUN(waiter, signaller);
    return 0;
}
