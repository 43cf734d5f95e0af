// Inside its once-routine one thread needs the lock that the other holds while it waits
// for the routine.
// deadlock: A B
#include "steps.h"
MUTEX(m);
pthread_once_t once = PTHREAD_ONCE_INIT;
static void routine(void)
{
    LOCK(m); //@A
    UNLOCK(m);
}
THREAD(a)
{
    pthread_once(&once, routine);
    END;
}
THREAD(b)
{
    SLEEP(1);
    LOCK(m);
    pthread_once(&once, routine); //@B
    UNLOCK(m);
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
