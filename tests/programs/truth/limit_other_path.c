// A race on a path that the recorded run did not take: b writes only if it comes
// first. One recorded run cannot show what is not in it: nothing is reported.
#include "steps.h"
MUTEX(m);
int flag, x;
THREAD(a)
{
    x = 1;
    LOCK(m);
    flag = 1;
    UNLOCK(m);
    END;
}
THREAD(b)
{
    SLEEP(1);
    LOCK(m);
    int late = flag;
    UNLOCK(m);
    if (!late)
        x = 2;
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
