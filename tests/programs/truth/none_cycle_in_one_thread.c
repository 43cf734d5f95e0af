// Both orders, but by one thread.
#include "steps.h"
MUTEX(m);
MUTEX(n);
THREAD(a)
{
    LOCK(m);
    LOCK(n);
    UNLOCK(n);
    UNLOCK(m);
    LOCK(n);
    LOCK(m);
    UNLOCK(m);
    UNLOCK(n);
    END;
}
THREAD(b)
{
    PASS(m);
    PASS(n);
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
