/* One variable, two locks. -DRIGHT: one lock. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *grow(void *argument)
{
    pthread_mutex_lock(&lock);
    int before = value;
    value = before + 1;
    assert(value == before + 1);
    pthread_mutex_unlock(&lock);
    return argument;
}

static void *grow_too(void *argument)
{
#ifdef RIGHT
    pthread_mutex_t *own = &lock;
#else
    pthread_mutex_t *own = &other;
#endif
    pthread_mutex_lock(own);
    value++;
    pthread_mutex_unlock(own);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, grow, NULL);
    pthread_create(&threads[1], NULL, grow_too, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    (void)other;
    return 0;
}
