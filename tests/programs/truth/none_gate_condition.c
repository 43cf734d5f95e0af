// Two locks in two orders, the second only after a signal that the first sends when it
// holds neither.
#include "steps.h"
MUTEX(m);
MUTEX(n);
MUTEX(gate);
pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
int flag;
THREAD(a)
{
    SLEEP(1);
    LOCK(m);
    LOCK(n);
    UNLOCK(n);
    UNLOCK(m);
    LOCK(gate);
    flag = 1;
    pthread_cond_signal(&ready);
    UNLOCK(gate);
    END;
}
THREAD(b)
{
    LOCK(gate);
    while (!flag)
        pthread_cond_wait(&ready, &gate);
    UNLOCK(gate);
    LOCK(n);
    LOCK(m);
    UNLOCK(m);
    UNLOCK(n);
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
