// A cycle of three.
// deadlock: A B C
#include "steps.h"
MUTEX(m);
MUTEX(n);
MUTEX(o);
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
    LOCK(o); //@B
    UNLOCK(o);
    UNLOCK(n);
    END;
}
THREAD(c)
{
    SLEEP(2);
    LOCK(o);
    LOCK(m); //@C
    UNLOCK(m);
    UNLOCK(o);
    END;
}
int main(void)
{
    RUN(a, b, c);
    return 0;
}
