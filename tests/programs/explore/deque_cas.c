/* The same without locks: thieves move the top by a compare-and-exchange; the owner must do so as
 * well when it takes the last item. -DRIGHT: it does. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { ITEMS = 2 };

static int items[ITEMS];
static atomic_int taken[ITEMS], top, bottom = ITEMS;

static int take(void)
{
    int last = atomic_fetch_sub(&bottom, 1) - 1, first = atomic_load(&top);
    if (first < last)
        return items[last];
    if (first > last) {
        atomic_store(&bottom, first);
        return -1;
    }
#ifdef RIGHT
    int expected = first, item = items[last];
    if (!atomic_compare_exchange_strong(&top, &expected, first + 1))
        item = -1;
    atomic_store(&bottom, last + 1);
    return item;
#else
    return items[last];
#endif
}

static int steal(void)
{
    int first = atomic_load(&top), last = atomic_load(&bottom);
    if (first >= last)
        return -1;
    int item = items[first];
    return atomic_compare_exchange_strong(&top, &first, first + 1) ? item : -1;
}

static void use(int item)
{
    if (item >= 0) {
        int before = atomic_fetch_add(&taken[item], 1);
        assert(before == 0);
    }
}

static void *thief(void *argument)
{
    use(steal());
    return argument;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < ITEMS; i++)
        items[i] = i;
    pthread_create(&thread, NULL, thief, NULL);
    use(take());
    use(take());
    pthread_join(thread, NULL);
    return 0;
}
