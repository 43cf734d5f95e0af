// A cycle of readers blocks nobody.
#include "steps.h"
pthread_rwlock_t m = PTHREAD_RWLOCK_INITIALIZER, n = PTHREAD_RWLOCK_INITIALIZER;
THREAD(a)
{
    pthread_rwlock_rdlock(&m);
    pthread_rwlock_rdlock(&n);
    pthread_rwlock_unlock(&n);
    pthread_rwlock_unlock(&m);
    END;
}
THREAD(b)
{
    SLEEP(1);
    pthread_rwlock_rdlock(&n);
    pthread_rwlock_rdlock(&m);
    pthread_rwlock_unlock(&m);
    pthread_rwlock_unlock(&n);
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
