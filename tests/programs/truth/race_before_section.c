// Written before one section, read before the other: only the order of the sections
// in the recorded run lies in between.
// race: A B
#include "steps.h"
MUTEX(m);
int x, y;
THREAD(a)
{
    x = 1; //@A
    LOCK(m);
    y++;
    UNLOCK(m);
    END;
}
THREAD(b)
{
    SLEEP(1);
    PASS(m);
    int seen = x; //@B
    LOCK(m);
    y += seen;
    UNLOCK(m);
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
