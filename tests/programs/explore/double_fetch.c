/* A length is read twice in one function, with nothing in between. -DRIGHT: once. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int length = 4;

static void *copy(void *argument)
{
    int checked = length;
    if (checked > 8)
        return argument;
#ifdef RIGHT
    int used = checked;
#else
    int used = length;
#endif
    assert(used <= 8);
    return argument;
}

static void *grow(void *argument)
{
    length = 100;
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, copy, NULL);
    pthread_create(&threads[1], NULL, grow, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
