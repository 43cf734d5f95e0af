// The waiter is woken in the right order, and writes again when it has left the mutex.
// race: A B
#include "steps.h"
MUTEX(m);
pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
int flag, x;
THREAD(waiter)
{
    LOCK(m);
    while (!flag)
        pthread_cond_wait(&ready, &m);
    UNLOCK(m);
    x = 1; //@A
    PASS(m);
    END;
}
THREAD(signaller)
{
    SLEEP(1);
    LOCK(m);
    flag = 1;
    pthread_cond_signal(&ready);
    UNLOCK(m);
    SLEEP(2);
    PASS(m);
    x = 2; //@B
    END;
}
int main(void)
{
    RUN(waiter, signaller);
    return 0;
}
