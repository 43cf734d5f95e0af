// Double-checked initialisation with a plain pointer.
// race: A B
#include "steps.h"
MUTEX(m);
int *once, value;
THREAD(a)
{
    LOCK(m);
    once = &value; //@A
    UNLOCK(m);
    END;
}
THREAD(b)
{
    SLEEP(1);
    if (!once) { //@B
        LOCK(m);
        once = &value;
        UNLOCK(m);
    }
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
