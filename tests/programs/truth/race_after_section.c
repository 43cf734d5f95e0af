// A lock that both take after and before happens to order the two writes.
// race: A B
#include "steps.h"
MUTEX(m);
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
    x = 2; //@B
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
