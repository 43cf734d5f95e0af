// Many rounds in one order, and one in the other.
// deadlock: A B
#include "steps.h"
MUTEX(m);
MUTEX(n);
THREAD(a)
{
    for (int i = 0; i < 50; i++) {
        LOCK(m);
        LOCK(n); //@A
        UNLOCK(n);
        UNLOCK(m);
    }
    END;
}
THREAD(b)
{
    SLEEP(2);
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
