// Both orders, but the first thread is joined before the second is created.
#include "steps.h"
MUTEX(m);
MUTEX(n);
THREAD(a)
{
    LOCK(m);
    LOCK(n);
    UNLOCK(n);
    UNLOCK(m);
    END;
}
THREAD(b)
{
    LOCK(n);
    LOCK(m);
    UNLOCK(m);
    UNLOCK(n);
    END;
}
int main(void)
{
    RUN(a);
    RUN(b);
    return 0;
}
