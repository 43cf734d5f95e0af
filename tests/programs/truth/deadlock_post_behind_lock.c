// Who waits for the post holds the lock that stands before it.
// deadlock: A B
#include "steps.h"
MUTEX(m);
sem_t done;
THREAD(a)
{
    SLEEP(1);
    LOCK(m);
    sem_wait(&done); //@A
    UNLOCK(m);
    END;
}
THREAD(b)
{
    LOCK(m); //@B
    UNLOCK(m);
    SLEEP(2);
    sem_post(&done);
    END;
}
int main(void)
{
    sem_init(&done, 0, 0);
    RUN(a, b);
    return 0;
}
