// The inverted pairs are inside one gate lock.
#include "steps.h"
MUTEX(gate);
MUTEX(m);
MUTEX(n);
THREAD(a)
{
    LOCK(gate);
    LOCK(m);
    LOCK(n);
    UNLOCK(n);
    UNLOCK(m);
    UNLOCK(gate);
    END;
}
THREAD(b)
{
    LOCK(gate);
    LOCK(n);
    LOCK(m);
    UNLOCK(m);
    UNLOCK(n);
    UNLOCK(gate);
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
