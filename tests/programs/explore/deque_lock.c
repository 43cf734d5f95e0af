/* A deque of work: its owner takes from the bottom without the lock as long as it looks far from
 * empty, thieves take from the top under the lock. -DRIGHT: the owner takes the lock, too. */
#include <assert.h>
#include <pthread.h>

enum { ITEMS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int items[ITEMS], taken[ITEMS], head, tail;

static void put(int item)
{
    items[tail] = item;
    tail++;
}

static int take(void)
{
#ifdef RIGHT
    pthread_mutex_lock(&lock);
    int item = head < tail ? items[--tail] : -1;
    pthread_mutex_unlock(&lock);
    return item;
#else
    if (head >= tail)
        return -1;
    int last = --tail; /* a thief that looked before has it, too */
    return items[last];
#endif
}

static int steal(void)
{
    pthread_mutex_lock(&lock);
    int item = head < tail ? items[head] : -1;
    if (item >= 0)
        head++;
    pthread_mutex_unlock(&lock);
    return item;
}

static void use(int item)
{
    if (item >= 0) {
        int before = __atomic_fetch_add(&taken[item], 1, __ATOMIC_SEQ_CST);
        assert(before == 0);
    }
}

static void *thief(void *argument)
{
    use(steal());
    use(steal());
    return argument;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < ITEMS; i++)
        put(i);
    pthread_create(&thread, NULL, thief, NULL);
    use(take());
    use(take());
    pthread_join(thread, NULL);
    return 0;
}
