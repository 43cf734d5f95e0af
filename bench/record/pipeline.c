/* Three stages joined by queues with condition variables; each item is a heap
 * block that is filled, transformed and freed by different threads. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ITEMS = 60000, ROOM = 32, SIZE = 64 };

struct queue {
    pthread_mutex_t mutex;
    pthread_cond_t filled, emptied;
    int *slots[ROOM];
    unsigned head, tail;
};

static struct queue first = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, {0}, 0, 0};
static struct queue second = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, {0}, 0, 0};

static void put(struct queue *queue, int *item)
{
    pthread_mutex_lock(&queue->mutex);
    while (queue->tail - queue->head == ROOM)
        pthread_cond_wait(&queue->emptied, &queue->mutex);
    queue->slots[queue->tail++ % ROOM] = item;
    pthread_cond_signal(&queue->filled);
    pthread_mutex_unlock(&queue->mutex);
}

static int *take(struct queue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    while (queue->tail == queue->head)
        pthread_cond_wait(&queue->filled, &queue->mutex);
    int *item = queue->slots[queue->head++ % ROOM];
    pthread_cond_signal(&queue->emptied);
    pthread_mutex_unlock(&queue->mutex);
    return item;
}

static void *fill(void *unused)
{
    for (int n = 0; n < ITEMS; n++) {
        int *item = malloc(SIZE * sizeof *item);
        for (int i = 0; i < SIZE; i++)
            item[i] = n + i;
        put(&first, item);
    }
    return unused;
}

static void *transform(void *unused)
{
    for (int n = 0; n < ITEMS; n++) {
        int *item = take(&first);
        for (int i = 0; i < SIZE; i++)
            item[i] = item[i] * 3 + 1;
        put(&second, item);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    unsigned long sum = 0;
    pthread_create(&threads[0], NULL, fill, NULL);
    pthread_create(&threads[1], NULL, transform, NULL);
    for (int n = 0; n < ITEMS; n++) {
        int *item = take(&second);
        for (int i = 0; i < SIZE; i++)
            sum += (unsigned)item[i];
        free(item);
    }
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    printf("%lu\n", sum);
    return 0;
}
