// The second thread's child writes.
// race: A B
#include "steps.h"
MUTEX(m);
int x;
THREAD(child)
{
    x = 2; //@B
    END;
}
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
    RUN(child);
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
