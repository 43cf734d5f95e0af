// expect: rdacq(lock)
// expect: rdrel(lock)
// expect: wracq(lock)
// expect: wrrel(lock)
// hb: none
#include <errno.h>
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int shared;

static void *reader(void *unused)
{
    for (int i = 0; i < 50; i++) {
        pthread_rwlock_rdlock(&lock);
        unused = shared < 0 ? &shared : NULL;
        pthread_rwlock_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, reader, NULL);
    for (int i = 0; i < 50; i++) {
        pthread_rwlock_wrlock(&lock);
        shared++;
        if (pthread_rwlock_tryrdlock(&lock) == 0)
            return 1;
        pthread_rwlock_unlock(&lock);
    }
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_rdlock(&lock); // two shares of one thread
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
