// The second thread takes the lock with a time limit.
// race: A B
#include "steps.h"
MUTEX(m);
int x;
THREAD(a)
{
    x = 1; //@A
    PASS(m);
    END;
}
THREAD(b)
{
    struct timespec until;
    SLEEP(1);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 5;
    if (pthread_mutex_timedlock(&m, &until) == 0)
        UNLOCK(m);
    x = 2; //@B
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
