// Both orders, but the second thread goes only after a flag the first sets last.
#include "steps.h"
MUTEX(m);
MUTEX(n);
MUTEX(order);
int done;
THREAD(a)
{
    LOCK(m);
    LOCK(n);
    UNLOCK(n);
    UNLOCK(m);
    LOCK(order);
    done = 1;
    UNLOCK(order);
    END;
}
THREAD(b)
{
    for (int ready = 0; !ready;) {
        LOCK(order);
        ready = done;
        UNLOCK(order);
        usleep(1000);
    }
    LOCK(n);
    LOCK(m);
    UNLOCK(m);
    UNLOCK(n);
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
