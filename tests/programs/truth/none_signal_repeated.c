// The signaller signals until the waiter has said that it is awake: no wake-up is lost.
#include "steps.h"
MUTEX(m);
pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
atomic_int awake;
THREAD(waiter)
{
    LOCK(m);
    pthread_cond_wait(&ready, &m);
    UNLOCK(m);
    atomic_store(&awake, 1);
    END;
}
THREAD(signaller)
{
    while (!atomic_load(&awake)) {
        SLEEP(1);
        pthread_cond_signal(&ready);
    }
    END;
}
int main(void)
{
    RUN(waiter, signaller);
    return 0;
}
