// A wait with a time limit: it may miss its signal, and goes on all the same.
#include "steps.h"
#include <time.h>
MUTEX(m);
pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
THREAD(waiter)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    LOCK(m);
    pthread_cond_timedwait(&ready, &m, &until);
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
