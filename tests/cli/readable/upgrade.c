// read lock, then write lock of the same lock: hangs at once
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int cached;
static void *query(void *x)
{
    (void)x;
    pthread_rwlock_rdlock(&l);
    if (!cached) {
        int r = pthread_rwlock_wrlock(&l);
        printf("wrlock: %s\n", strerror(r));
        if (!r)
            cached = 1;
    }
    pthread_rwlock_unlock(&l);
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, query, 0);
    pthread_create(&b, 0, query, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    puts("done");
}
