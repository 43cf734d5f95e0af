/* A queue is freed when it is empty, while the one who emptied it still holds its lock. -DRIGHT:
 * after that thread was joined. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

struct queue {
    pthread_mutex_t lock;
    int items;
};

static atomic_int empty;

static void *consume(void *argument)
{
    struct queue *queue = argument;
    pthread_mutex_lock(&queue->lock);
    queue->items--;
    empty = queue->items == 0;
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct queue *queue = malloc(sizeof *queue);
    pthread_mutex_init(&queue->lock, NULL);
    queue->items = 1;
    pthread_create(&thread, NULL, consume, queue);
#ifdef RIGHT
    pthread_join(thread, NULL);
    free(queue);
#else
    while (!empty)
        sched_yield();
    free(queue);
    pthread_join(thread, NULL);
#endif
    return 0;
}
