/* A lock-free stack. A pop marks the top's link, so that nobody else takes it, and then swings the
 * head. In between others can pop what is below and push the top again: the link that was read is
 * stale (ABA), and the head comes to stand on an element that somebody holds. It takes three
 * threads, and more than four preemptions. Right: links are only read, and the head has a count
 * beside the number of its element, so that a stale one is refused. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { ELEMENTS = 2, END = 100, MARKED = 101, VERSIONS = 256 };

static struct {
    atomic_int next, held;
} element[ELEMENTS];
static atomic_int head;

#ifdef RIGHT
enum { VERSION = VERSIONS };
#define TAKE(link)            atomic_load(link)
#define GIVE_BACK(link, next) (void)0
#else
enum { VERSION = 0 };
#define TAKE(link)            atomic_exchange(link, MARKED)
#define GIVE_BACK(link, next) atomic_store(link, next)
#endif

static int change_to(int top, int index)
{
    return top - top % VERSIONS + VERSION + index;
}

/* END when it is empty, or the top is being taken. */
static int pop(void)
{
    for (;;) {
        int top = atomic_load(&head), index = top % VERSIONS;
        if (index == END)
            return END;
        int next = TAKE(&element[index].next);
        if (next == MARKED)
            return END;
        int expected = top; /* a compare that fails changes it */
        if (atomic_compare_exchange_strong(&head, &expected, change_to(top, next))) {
            assert(!atomic_exchange(&element[index].held, 1));
            return index;
        }
        GIVE_BACK(&element[index].next, next);
    }
}

static void push(int index)
{
    if (index == END)
        return;
    atomic_store(&element[index].held, 0);
    int top = atomic_load(&head);
    do
        atomic_store(&element[index].next, top % VERSIONS);
    while (!atomic_compare_exchange_strong(&head, &top, change_to(top, index)));
}

static void *use(void *argument)
{
    push(pop());
    return argument;
}

static void *take(void *argument)
{
    for (int i = 0; i < 3; i++)
        pop();
    return argument;
}

int main(void)
{
    static void *(*const work[])(void *) = {use, use, take};
    enum { THREADS = sizeof work / sizeof *work };
    pthread_t threads[THREADS];
    for (int i = 0; i < ELEMENTS; i++)
        atomic_store(&element[i].next, i + 1 < ELEMENTS ? i + 1 : END);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work[i], NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
