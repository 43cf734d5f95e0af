// Ad-hoc hand-over: a flag that the lock protects says when x may be used.
#include "steps.h"
MUTEX(m);
int flag, x;
THREAD(a)
{
    SLEEP(1);
    x = 1;
    LOCK(m);
    flag = 1;
    UNLOCK(m);
    END;
}
THREAD(b)
{
    for (int ready = 0; !ready;) {
        LOCK(m);
        ready = flag;
        UNLOCK(m);
        usleep(1000);
    }
    x = 2;
    END;
}
int main(void)
{
    RUN(a, b);
    return x == 2 ? 0 : 1;
}
