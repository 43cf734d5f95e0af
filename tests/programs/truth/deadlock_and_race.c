// A deadlock, and a race that the same two locks hide.
// deadlock: A B
// race: C D
#include "steps.h"
MUTEX(m);
MUTEX(n);
int x;
THREAD(a)
{
    x = 1; //@C
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
    x = 2; //@D
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
