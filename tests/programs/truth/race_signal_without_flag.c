// A condition is signalled, but what was written before is read by a third thread
// that does not wait for it.
// race: A C
#include "steps.h"
MUTEX(m);
pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
int flag, x;
THREAD(a)
{
    SLEEP(1);
    x = 1; //@A
    LOCK(m);
    flag = 1;
    pthread_cond_signal(&ready);
    UNLOCK(m);
    END;
}
THREAD(b)
{
    LOCK(m);
    while (!flag)
        pthread_cond_wait(&ready, &m);
    UNLOCK(m);
    END;
}
THREAD(c)
{
    SLEEP(2);
    PASS(m);
    x = 2; //@C
    END;
}
int main(void)
{
    RUN(a, b, c);
    return 0;
}
