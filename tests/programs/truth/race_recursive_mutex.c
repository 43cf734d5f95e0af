// The access stands inside an inner pair of a recursive mutex of its own.
// race: A B
#include "steps.h"
pthread_mutex_t own_a, own_b;
MUTEX(m);
int x;
THREAD(a)
{
    LOCK(own_a);
    LOCK(own_a);
    x = 1; //@A
    UNLOCK(own_a);
    UNLOCK(own_a);
    PASS(m);
    END;
}
THREAD(b)
{
    SLEEP(1);
    PASS(m);
    LOCK(own_b);
    LOCK(own_b);
    x = 2; //@B
    UNLOCK(own_b);
    UNLOCK(own_b);
    END;
}
int main(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&own_a, &attributes);
    pthread_mutex_init(&own_b, &attributes);
    RUN(a, b);
    return 0;
}
