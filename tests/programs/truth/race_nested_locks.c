// The ordering lock is taken inside another one.
// race: A B
#include "steps.h"
MUTEX(m);
MUTEX(n);
int x;
THREAD(a)
{
    x = 1; //@A
    LOCK(m);
    PASS(n);
    UNLOCK(m);
    END;
}
THREAD(b)
{
    SLEEP(1);
    PASS(n);
    x = 2; //@B
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
