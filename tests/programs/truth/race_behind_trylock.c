// The second thread gets the lock by trying.
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
    if (pthread_mutex_trylock(&m) == 0)
        UNLOCK(m);
    x = 2; //@B
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
