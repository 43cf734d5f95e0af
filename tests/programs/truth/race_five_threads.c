// A chain of sections through five threads orders the first write before the last.
// race: A E
#include "steps.h"
MUTEX(k);
MUTEX(l);
MUTEX(m);
MUTEX(n);
int x;
THREAD(a)
{
    x = 1; //@A
    PASS(k);
    END;
}
THREAD(b)
{
    SLEEP(1);
    PASS(k);
    PASS(l);
    END;
}
THREAD(c)
{
    SLEEP(2);
    PASS(l);
    PASS(m);
    END;
}
THREAD(d)
{
    SLEEP(3);
    PASS(m);
    PASS(n);
    END;
}
THREAD(e)
{
    SLEEP(4);
    PASS(n);
    x = 2; //@E
    END;
}
int main(void)
{
    RUN(a, b, c, d, e);
    return 0;
}
