/* A ring of three cells. One thread takes the second one out, another goes once round and counts.
 * The wrong one lets go of the lock at each cell: if that one is taken out meanwhile, it never
 * comes back to where it began. */
#include <assert.h>
#include <pthread.h>

struct cell {
    struct cell *next;
    int taken;
};

static struct cell ring[3];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *take_out(void *argument)
{
    pthread_mutex_lock(&mutex);
    ring[0].next = ring[1].next;
    ring[1].next = &ring[1];
    ring[1].taken = 1;
    pthread_mutex_unlock(&mutex);
    return argument;
}

/* How many cells it meets, the first one not counted. */
static int go_round(void)
{
    int count = 0;
    struct cell *at = ring[0].next;
    while (at != &ring[0] && count < 4) {
#ifndef RIGHT
        pthread_mutex_unlock(&mutex);
        pthread_mutex_lock(&mutex);
#endif
        at = at->next;
        count++;
    }
    return count;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 3; i++)
        ring[i].next = &ring[(i + 1) % 3];
    pthread_create(&thread, NULL, take_out, NULL);
    pthread_mutex_lock(&mutex);
    int count = go_round();
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    assert(count == 1 || count == 2);
    return 0;
}
