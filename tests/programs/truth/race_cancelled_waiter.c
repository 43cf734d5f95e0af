// One waiter is cancelled before the race, another one after it; neither takes part.
// race: A B
#include "steps.h"
MUTEX(m);
MUTEX(lock);
pthread_cond_t never = PTHREAD_COND_INITIALIZER;
int x;
static void let_go(void *unused)
{
    UNLOCK(lock);
    (void)unused;
}
THREAD(waiter)
{
    LOCK(lock);
    pthread_cleanup_push(let_go, NULL);
    for (;;)
        pthread_cond_wait(&never, &lock);
    pthread_cleanup_pop(1);
    END;
}
THREAD(a)
{
    x = 1; //@A
    PASS(m);
    END;
}
THREAD(b)
{
    SLEEP(1);
    PASS(m);
    x = 2; //@B
    END;
}
int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, waiter, NULL);
    pthread_create(&second, NULL, waiter, NULL);
    SLEEP(1);
    pthread_cancel(first);
    pthread_join(first, NULL);
    RUN(a, b);
    pthread_cancel(second);
    pthread_join(second, NULL);
    return 0;
}
