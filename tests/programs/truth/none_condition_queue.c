// A bounded buffer as in the books.
#include "steps.h"
MUTEX(m);
pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
int buffer[2], count, sum;
THREAD(producer)
{
    for (int i = 1; i <= 6; i++) {
        LOCK(m);
        while (count == 2)
            pthread_cond_wait(&not_full, &m);
        buffer[count++] = i;
        pthread_cond_signal(&not_empty);
        UNLOCK(m);
    }
    END;
}
THREAD(consumer)
{
    for (int i = 1; i <= 6; i++) {
        LOCK(m);
        while (!count)
            pthread_cond_wait(&not_empty, &m);
        sum += buffer[--count];
        pthread_cond_signal(&not_full);
        UNLOCK(m);
    }
    END;
}
int main(void)
{
    RUN(producer, consumer);
    return sum == 21 ? 0 : 1;
}
