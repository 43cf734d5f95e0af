// The second lock is only tried.
#include "steps.h"
MUTEX(m);
MUTEX(n);
THREAD(a)
{
    LOCK(m);
    if (pthread_mutex_trylock(&n) == 0)
        UNLOCK(n);
    UNLOCK(m);
    END;
}
THREAD(b)
{
    SLEEP(1);
    LOCK(n);
    if (pthread_mutex_trylock(&m) == 0)
        UNLOCK(m);
    UNLOCK(n);
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
