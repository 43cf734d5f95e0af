// A cycle of four, and a fifth thread that only passes by.
// deadlock: A B C D
#include "steps.h"
MUTEX(k);
MUTEX(l);
MUTEX(m);
MUTEX(n);
THREAD(a)
{
    LOCK(k);
    LOCK(l); //@A
    UNLOCK(l);
    UNLOCK(k);
    END;
}
THREAD(b)
{
    SLEEP(1);
    LOCK(l);
    LOCK(m); //@B
    UNLOCK(m);
    UNLOCK(l);
    END;
}
THREAD(c)
{
    SLEEP(2);
    LOCK(m);
    LOCK(n); //@C
    UNLOCK(n);
    UNLOCK(m);
    END;
}
THREAD(d)
{
    SLEEP(3);
    LOCK(n);
    LOCK(k); //@D
    UNLOCK(k);
    UNLOCK(n);
    END;
}
THREAD(passer)
{
    PASS(k);
    PASS(m);
    END;
}
int main(void)
{
    RUN(a, b, c, d, passer);
    return 0;
}
