// A reader waits for a writer's lock and a writer for the reader's: one rwlock, one mutex.
// deadlock: A B
#include "steps.h"
pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
MUTEX(m);
THREAD(reader)
{
    LOCK(m);
    pthread_rwlock_rdlock(&table); //@A
    pthread_rwlock_unlock(&table);
    UNLOCK(m);
    END;
}
THREAD(writer)
{
    SLEEP(1);
    pthread_rwlock_wrlock(&table);
    LOCK(m); //@B
    UNLOCK(m);
    pthread_rwlock_unlock(&table);
    END;
}
int main(void)
{
    RUN(reader, writer);
    return 0;
}
