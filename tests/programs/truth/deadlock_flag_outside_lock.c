// The predicate is set and the signal sent without the mutex: both can slip in between
// the waiter's look at the flag and its wait. (The flag is atomic: no race.)
// deadlock: A
#include "steps.h"
MUTEX(m);
pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
atomic_int flag;
THREAD(waiter)
{
    LOCK(m);
    while (!atomic_load(&flag))
        pthread_cond_wait(&ready, &m); //@A
    UNLOCK(m);
    END;
}
THREAD(signaller)
{
    SLEEP(2);
    atomic_store(&flag, 1);
    pthread_cond_signal(&ready);
    END;
}
int main(void)
{
    RUN(waiter, signaller);
    return 0;
}
