// The twin of race_reader_is_no_waiter: who goes on does so because the count was there.
#include "steps.h"
MUTEX(m);
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int items, x, seen;
THREAD(producer)
{
    x = 1;
    LOCK(m);
    items++;
    pthread_cond_signal(&c);
    UNLOCK(m);
    END;
}
THREAD(consumer)
{
    SLEEP(4);
    LOCK(m);
    while (!items)
        pthread_cond_wait(&c, &m);
    UNLOCK(m);
    END;
}
THREAD(follower)
{
    SLEEP(2);
    LOCK(m);
    while (!items)
        pthread_cond_wait(&c, &m);
    seen = items;
    UNLOCK(m);
    x++;
    END;
}
int main(void)
{
    RUN(producer, consumer, follower);
    return 0;
}
