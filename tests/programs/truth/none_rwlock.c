// Writers write, readers read.
#include "steps.h"
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int x, seen[2];
THREAD(writer)
{
    pthread_rwlock_wrlock(&lock);
    x++;
    pthread_rwlock_unlock(&lock);
    END;
}
THREAD(reader)
{
    pthread_rwlock_rdlock(&lock);
    int now = x;
    (void)now;
    pthread_rwlock_unlock(&lock);
    END;
}
int main(void)
{
    RUN(writer, reader, writer, reader);
    return x == 2 ? 0 : 1;
}
