// The try fails because the other thread holds the lock, and has written before.
#include "steps.h"
MUTEX(m);
int x;
THREAD(a)
{
    x = 1;
    LOCK(m);
    SLEEP(2);
    UNLOCK(m);
    END;
}
THREAD(b)
{
    SLEEP(1);
    if (pthread_mutex_trylock(&m) == 0) {
        UNLOCK(m);
        END;
    }
    SLEEP(3);
    PASS(m);
    END;
}
int main(void)
{
    RUN(a, b);
    return x == 1 ? 0 : 1;
}
