// two readers-writer locks, each taken for reading by one thread and for writing by the other
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER, index_ = PTHREAD_RWLOCK_INITIALIZER;
static void *query(void *x)
{
    (void)x;
    pthread_rwlock_rdlock(&table);
    pthread_rwlock_wrlock(&index_); // lazily builds the index
    pthread_rwlock_unlock(&index_);
    pthread_rwlock_unlock(&table);
    return 0;
}
static void *update(void *x)
{
    (void)x;
    usleep(100000);
    pthread_rwlock_rdlock(&index_);
    pthread_rwlock_wrlock(&table);
    pthread_rwlock_unlock(&table);
    pthread_rwlock_unlock(&index_);
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, query, 0);
    pthread_create(&b, 0, update, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    puts("done");
}
