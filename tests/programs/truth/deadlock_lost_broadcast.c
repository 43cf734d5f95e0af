// Two wait for one broadcast, without a predicate. Both places are one mistake each.
// deadlock: A
// deadlock: B
#include "steps.h"
MUTEX(m);
pthread_cond_t open_now = PTHREAD_COND_INITIALIZER;
THREAD(a)
{
    LOCK(m);
    pthread_cond_wait(&open_now, &m); //@A
    UNLOCK(m);
    END;
}
THREAD(b)
{
    LOCK(m);
    pthread_cond_wait(&open_now, &m); //@B
    UNLOCK(m);
    END;
}
THREAD(opener)
{
    SLEEP(2);
    pthread_cond_broadcast(&open_now);
    END;
}
int main(void)
{
    RUN(a, b, opener);
    return 0;
}
