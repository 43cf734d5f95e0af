// No synchronisation at all.
// race: A B
#include "steps.h"
int x;
THREAD(a)
{
    x = 1; //@A
    END;
}
THREAD(b)
{
    SLEEP(1);
    x = 2; //@B
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
