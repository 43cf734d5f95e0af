// x changes hands twice, there and back, each time under the mutex with a flag.
#include "steps.h"
MUTEX(m);
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int turn, x;
static void wait_for(int whose)
{
    LOCK(m);
    while (turn != whose)
        pthread_cond_wait(&changed, &m);
    UNLOCK(m);
}
static void give(int whose)
{
    LOCK(m);
    turn = whose;
    pthread_cond_broadcast(&changed);
    UNLOCK(m);
}
THREAD(a)
{
    x = 1;
    give(1);
    wait_for(0);
    x = 3;
    END;
}
THREAD(b)
{
    wait_for(1);
    x = 2;
    give(0);
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
