// Both wake up from one broadcast; the lock orders what they do after it.
// race: A B
#include "steps.h"
MUTEX(m);
MUTEX(n);
pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
int flag, x;
static void wait_for_it(void)
{
    LOCK(m);
    while (!flag)
        pthread_cond_wait(&ready, &m);
    UNLOCK(m);
}
THREAD(a)
{
    wait_for_it();
    x = 1; //@A
    PASS(n);
    END;
}
THREAD(b)
{
    wait_for_it();
    SLEEP(1);
    PASS(n);
    x = 2; //@B
    END;
}
THREAD(c)
{
    SLEEP(2);
    LOCK(m);
    flag = 1;
    pthread_cond_broadcast(&ready);
    UNLOCK(m);
    END;
}
int main(void)
{
    RUN(a, b, c);
    return 0;
}
