// Ordered by a chain through a third thread.
// race: A C
#include "steps.h"
MUTEX(m);
MUTEX(n);
int x;
THREAD(a)
{
    x = 1; //@A
    PASS(m);
    END;
}
THREAD(b)
{
    SLEEP(1);
    PASS(m);
    PASS(n);
    END;
}
THREAD(c)
{
    SLEEP(2);
    PASS(n);
    x = 2; //@C
    END;
}
int main(void)
{
    RUN(a, b, c);
    return 0;
}
