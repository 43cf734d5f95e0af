/* A reduction of pbzip2 0.9.4: a producer fills a queue, consumers take blocks and leave their
   results, a writer polls for the results without a lock, and main deletes the queue, with its
   mutex, when the writer is done, without having joined the consumers: they may still be about to
   unlock it. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { blocks = 6, consumers = 2, capacity = 3, block_size = 256 };

struct queue {
    char *items[capacity];
    int numbers[capacity];
    int head, tail, count;
    pthread_mutex_t *mut;
    pthread_cond_t *not_full, *not_empty;
};

static struct {
    char *buf;
    unsigned size;
} output[blocks];
static int all_done;

static struct queue *queue_init(void)
{
    struct queue *q = calloc(1, sizeof *q);
    q->mut = malloc(sizeof *q->mut);
    q->not_full = malloc(sizeof *q->not_full);
    q->not_empty = malloc(sizeof *q->not_empty);
    pthread_mutex_init(q->mut, NULL);
    pthread_cond_init(q->not_full, NULL);
    pthread_cond_init(q->not_empty, NULL);
    return q;
}

static void queue_delete(struct queue *q)
{
    pthread_mutex_destroy(q->mut);
    free(q->mut);
    q->mut = NULL;
    pthread_cond_destroy(q->not_full);
    free(q->not_full);
    pthread_cond_destroy(q->not_empty);
    free(q->not_empty);
    free(q);
}

static void *producer(void *argument)
{
    struct queue *q = argument;
    for (int i = 0; i < blocks; i++) {
        char *item = malloc(block_size);
        memset(item, i, block_size);
        pthread_mutex_lock(q->mut);
        while (q->count == capacity)
            pthread_cond_wait(q->not_full, q->mut);
        q->items[q->tail] = item;
        q->numbers[q->tail] = i;
        q->tail = (q->tail + 1) % capacity;
        q->count++;
        pthread_cond_signal(q->not_empty);
        pthread_mutex_unlock(q->mut);
    }
    all_done = 1;
    return NULL;
}

static void *consumer(void *argument)
{
    struct queue *q = argument;
    for (;;) {
        pthread_mutex_lock(q->mut);
        while (q->count == 0) {
            if (all_done) {
                pthread_mutex_unlock(q->mut);
                return NULL;
            }
            struct timespec soon;
            clock_gettime(CLOCK_REALTIME, &soon);
            soon.tv_nsec += 1000000;
            if (soon.tv_nsec >= 1000000000) {
                soon.tv_nsec -= 1000000000;
                soon.tv_sec++;
            }
            pthread_cond_timedwait(q->not_empty, q->mut, &soon);
        }
        char *item = q->items[q->head];
        int number = q->numbers[q->head];
        q->head = (q->head + 1) % capacity;
        q->count--;
        pthread_cond_signal(q->not_full);
        pthread_mutex_unlock(q->mut);
        char *result = malloc(block_size);
        for (int i = 0; i < block_size; i++)
            result[i] = (char)(item[i] + 1);
        free(item);
        output[number].size = block_size;
        output[number].buf = result;
    }
}

static void *file_writer(void *argument)
{
    unsigned sum = 0;
    (void)argument;
    for (int i = 0; i < blocks; i++) {
        while (output[i].buf == NULL)
            usleep(100);
        for (unsigned k = 0; k < output[i].size; k++)
            sum += (unsigned char)output[i].buf[k];
        free(output[i].buf);
        output[i].buf = NULL;
    }
    printf("%u\n", sum);
    return NULL;
}

int main(void)
{
    struct queue *q = queue_init();
    pthread_t threads[consumers], writer, reader;
    for (int i = 0; i < consumers; i++) {
        pthread_create(&threads[i], NULL, consumer, q);
        pthread_detach(threads[i]);
    }
    pthread_create(&writer, NULL, file_writer, NULL);
    pthread_create(&reader, NULL, producer, q);
    pthread_join(reader, NULL);
    pthread_join(writer, NULL);
    usleep(20000); /* the consumers are gone by now, as they were on the author's machine */
    queue_delete(q);
    return 0;
}
