/* Three at a table, each takes the left fork and then the right one. -DRIGHT: the last one begins
 * with the right one. */
#include <pthread.h>

enum { GUESTS = 3 };

static pthread_mutex_t forks[GUESTS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                        PTHREAD_MUTEX_INITIALIZER};
static int numbers[GUESTS] = {0, 1, 2};

static void *dine(void *argument)
{
    int left = *(int *)argument, right = (left + 1) % GUESTS;
#ifdef RIGHT
    if (left > right) {
        int first = right;
        right = left;
        left = first;
    }
#endif
    pthread_mutex_lock(&forks[left]);
    pthread_mutex_lock(&forks[right]);
    pthread_mutex_unlock(&forks[right]);
    pthread_mutex_unlock(&forks[left]);
    return NULL;
}

int main(void)
{
    pthread_t threads[GUESTS];
    for (int i = 0; i < GUESTS; i++)
        pthread_create(&threads[i], NULL, dine, &numbers[i]);
    for (int i = 0; i < GUESTS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
