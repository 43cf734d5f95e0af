/* N - 1 threads set two variables, the last one reads them in the same order and wants both or
 * none. Usage: reorder [N]. -DRIGHT: under a lock. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { MOST = 128 };

static int a, b;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void enter(void)
{
#ifdef RIGHT
    pthread_mutex_lock(&lock);
#endif
}

static void leave(void)
{
#ifdef RIGHT
    pthread_mutex_unlock(&lock);
#endif
}

static void *set(void *argument)
{
    enter();
    a = 1;
    b = -1;
    leave();
    return argument;
}

static void *check(void *argument)
{
    enter();
    int first = a, second = b;
    leave();
    assert((first == 0 && second == 0) || (first == 1 && second == -1));
    return argument;
}

int main(int count, char **words)
{
    int threads = count > 1 ? atoi(words[1]) : 3;
    pthread_t all[MOST];
    assert(threads > 1 && threads <= MOST);
    for (int i = 0; i < threads; i++)
        pthread_create(&all[i], NULL, i == threads - 1 ? check : set, NULL);
    for (int i = 0; i < threads; i++)
        pthread_join(all[i], NULL);
    (void)lock;
    return 0;
}
