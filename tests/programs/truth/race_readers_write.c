// Two writers that hold the rwlock for reading.
// race: A B
#include "steps.h"
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int x;
THREAD(a)
{
    pthread_rwlock_rdlock(&lock);
    x = 1; //@A
    pthread_rwlock_unlock(&lock);
    END;
}
THREAD(b)
{
    SLEEP(1);
    pthread_rwlock_rdlock(&lock);
    x = 2; //@B
    pthread_rwlock_unlock(&lock);
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
