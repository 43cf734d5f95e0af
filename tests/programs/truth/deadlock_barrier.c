// One thread waits at the barrier with a lock that the other needs to come there.
// deadlock: A B
#include "steps.h"
MUTEX(m);
pthread_barrier_t meet;
THREAD(a)
{
    SLEEP(1);
    LOCK(m);
    pthread_barrier_wait(&meet); //@A
    UNLOCK(m);
    END;
}
THREAD(b)
{
    LOCK(m); //@B
    UNLOCK(m);
    pthread_barrier_wait(&meet);
    END;
}
int main(void)
{
    pthread_barrier_init(&meet, NULL, 2);
    RUN(a, b);
    return 0;
}
