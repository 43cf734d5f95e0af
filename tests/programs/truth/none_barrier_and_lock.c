// The twin: the lock is let go before the barrier.
#include "steps.h"
MUTEX(m);
pthread_barrier_t meet;
THREAD(a)
{
    SLEEP(1);
    PASS(m);
    pthread_barrier_wait(&meet);
    END;
}
THREAD(b)
{
    PASS(m);
    pthread_barrier_wait(&meet);
    END;
}
int main(void)
{
    pthread_barrier_init(&meet, NULL, 2);
    RUN(a, b);
    return 0;
}
