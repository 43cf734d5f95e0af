// The twin of deadlock_lost_wakeup: a flag under the mutex remembers the signal.
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
    pthread_cond_signal(&ready);
    UNLOCK(m);
    END;
}
int main(void)
{
    RUN(waiter, signaller);
    return 0;
}
