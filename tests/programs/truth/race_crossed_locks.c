// Locks that overlap without nesting.
// race: A B
#include "steps.h"
MUTEX(m);
MUTEX(n);
int x;
THREAD(a)
{
    x = 1; //@A
    LOCK(m);
    LOCK(n);
    UNLOCK(m);
    UNLOCK(n);
    END;
}
THREAD(b)
{
    SLEEP(1);
    LOCK(m);
    LOCK(n);
    UNLOCK(m);
    x = 2; //@B
    UNLOCK(n);
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
