// One of three accesses stands between two sections instead of in them.
// race: A B
#include "steps.h"
MUTEX(m);
int x;
THREAD(a)
{
    LOCK(m);
    x = 1;
    UNLOCK(m);
    x = 2; //@A
    LOCK(m);
    UNLOCK(m);
    END;
}
THREAD(b)
{
    SLEEP(1);
    LOCK(m);
    x = 3; //@B
    UNLOCK(m);
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
