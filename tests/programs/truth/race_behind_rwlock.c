// A writer's section orders a write before a reader's section.
// race: A B
#include "steps.h"
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int x;
THREAD(a)
{
    x = 1; //@A
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    END;
}
THREAD(b)
{
    SLEEP(1);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    x = 2; //@B
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
