// Two locks in two orders.
// deadlock: A B
#include "steps.h"
MUTEX(m);
MUTEX(n);
THREAD(a)
{
    LOCK(m);
    LOCK(n); //@A
    UNLOCK(n);
    UNLOCK(m);
    END;
}
THREAD(b)
{
    SLEEP(1);
    LOCK(n);
    LOCK(m); //@B
    UNLOCK(m);
    UNLOCK(n);
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
