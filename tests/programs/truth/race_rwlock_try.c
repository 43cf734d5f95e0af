// Tried read locks; the write that matters stands before them.
// race: A B
#include "steps.h"
pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
int x;
THREAD(a)
{
    x = 1; //@A
    if (pthread_rwlock_trywrlock(&table) == 0)
        pthread_rwlock_unlock(&table);
    END;
}
THREAD(b)
{
    SLEEP(1);
    if (pthread_rwlock_tryrdlock(&table) == 0)
        pthread_rwlock_unlock(&table);
    x = 2; //@B
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
