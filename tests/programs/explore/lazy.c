/* What is made at its first use: the flag is set before the thing is there. -DRIGHT: after. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int made;
static int thing;

static int get(void)
{
    if (!atomic_load(&made)) {
        pthread_mutex_lock(&lock);
        if (!atomic_load(&made)) {
#ifdef RIGHT
            thing = 42;
            atomic_store(&made, 1);
#else
            atomic_store(&made, 1);
            thing = 42;
#endif
        }
        pthread_mutex_unlock(&lock);
    }
    return thing;
}

static void *use(void *argument)
{
    int seen = get();
    assert(seen == 42);
    return argument;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, use, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
