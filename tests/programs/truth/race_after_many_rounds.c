// Thousands of ordered rounds, and one access that forgot the lock.
// race: A B
#include "steps.h"
MUTEX(m);
long total, last;
THREAD(a)
{
    for (int i = 0; i < 2000; i++) {
        LOCK(m);
        total++;
        UNLOCK(m);
    }
    last = 1; //@A
    PASS(m);
    END;
}
THREAD(b)
{
    SLEEP(2);
    for (int i = 0; i < 2000; i++)
        PASS(m);
    last = 2; //@B
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
