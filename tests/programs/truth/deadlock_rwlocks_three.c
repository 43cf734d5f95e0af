// Three readers, each on its way to write what the next one reads.
// deadlock: A B C
#include "steps.h"
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER, m = PTHREAD_RWLOCK_INITIALIZER,
                 n = PTHREAD_RWLOCK_INITIALIZER;
THREAD(a)
{
    pthread_rwlock_rdlock(&l);
    pthread_rwlock_wrlock(&m); //@A
    pthread_rwlock_unlock(&m);
    pthread_rwlock_unlock(&l);
    END;
}
THREAD(b)
{
    SLEEP(1);
    pthread_rwlock_rdlock(&m);
    pthread_rwlock_wrlock(&n); //@B
    pthread_rwlock_unlock(&n);
    pthread_rwlock_unlock(&m);
    END;
}
THREAD(c)
{
    SLEEP(2);
    pthread_rwlock_rdlock(&n);
    pthread_rwlock_wrlock(&l); //@C
    pthread_rwlock_unlock(&l);
    pthread_rwlock_unlock(&n);
    END;
}
int main(void)
{
    RUN(a, b, c);
    return 0;
}
