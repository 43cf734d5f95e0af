// Both writes are in one phase of a barrier; a lock inside it orders them.
// race: A B
#include "steps.h"
MUTEX(m);
pthread_barrier_t phase;
int x;
THREAD(a)
{
    pthread_barrier_wait(&phase);
    x = 1; //@A
    PASS(m);
    END;
}
THREAD(b)
{
    pthread_barrier_wait(&phase);
    SLEEP(1);
    PASS(m);
    x = 2; //@B
    END;
}
int main(void)
{
    pthread_barrier_init(&phase, NULL, 2);
    RUN(a, b);
    return 0;
}
