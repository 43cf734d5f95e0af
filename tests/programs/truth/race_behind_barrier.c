// The barrier brings two threads together; the third, which never meets it, is only
// ordered with them by a lock.
// race: A C
#include "steps.h"
MUTEX(m);
pthread_barrier_t meet;
int x;
THREAD(a)
{
    x = 1; //@A
    pthread_barrier_wait(&meet);
    END;
}
THREAD(b)
{
    pthread_barrier_wait(&meet);
    PASS(m);
    END;
}
THREAD(c)
{
    SLEEP(2);
    PASS(m);
    x = 2; //@C
    END;
}
int main(void)
{
    pthread_barrier_init(&meet, NULL, 2);
    RUN(a, b, c);
    return 0;
}
