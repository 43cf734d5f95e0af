// A logger looks at the count that a consumer waits for: that orders nothing.
// race: A B
#include "steps.h"
MUTEX(m);
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int items, x, seen;
THREAD(producer)
{
    x = 1; //@A
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
THREAD(logger)
{
    SLEEP(2);
    LOCK(m);
    seen = items;
    UNLOCK(m);
    x++; //@B
    END;
}
int main(void)
{
    RUN(producer, consumer, logger);
    return 0;
}
