/* A reduction of SPLASH-2's fmm: a tree of boxes is passed upwards. A child adds its expansion to
   its parent under the parent's lock and counts itself there; the owner of the parent spins until
   that count, read without the lock, has reached the number of children, and goes on with what they
   wrote. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

enum { owners = 4, width = 4 };

struct box {
    pthread_mutex_t lock;
    int children;
    volatile int interaction_synch;
    double expansion[width];
    struct box *parent;
};

static struct box leaves[owners * 2], inner[owners], root;
static pthread_barrier_t start;

static void init_box(struct box *b, struct box *parent, int children)
{
    pthread_mutex_init(&b->lock, NULL);
    b->parent = parent;
    b->children = children;
    b->interaction_synch = 0;
}

static void shift_up(struct box *b)
{
    struct box *parent = b->parent;
    pthread_mutex_lock(&parent->lock);
    for (int i = 0; i < width; i++)
        parent->expansion[i] += b->expansion[i];
    parent->interaction_synch += 1;
    pthread_mutex_unlock(&parent->lock);
}

static void wait_for_children(struct box *b)
{
    while (b->interaction_synch != b->children)
        sched_yield();
}

static void *upward_pass(void *argument)
{
    int me = (int)(long)argument;
    pthread_barrier_wait(&start);
    for (int k = 0; k < 2; k++) {
        /* Leaves are dealt out so that a parent waits for another thread's leaf. */
        struct box *leaf = &leaves[(2 * me + 3 * k) % (2 * owners)];
        for (int i = 0; i < width; i++)
            leaf->expansion[i] = me + i;
        shift_up(leaf);
    }
    wait_for_children(&inner[me]);
    for (int i = 0; i < width; i++)
        inner[me].expansion[i] *= 0.5;
    shift_up(&inner[me]);
    return NULL;
}

int main(void)
{
    pthread_t threads[owners];
    double sum = 0;
    init_box(&root, NULL, owners);
    for (int i = 0; i < owners; i++)
        init_box(&inner[i], &root, 2);
    for (int i = 0; i < owners * 2; i++)
        init_box(&leaves[i], &inner[i / 2], 0);
    pthread_barrier_init(&start, NULL, owners);
    for (int i = 0; i < owners; i++)
        pthread_create(&threads[i], NULL, upward_pass, (void *)(long)i);
    wait_for_children(&root);
    for (int i = 0; i < width; i++)
        sum += root.expansion[i];
    for (int i = 0; i < owners; i++)
        pthread_join(threads[i], NULL);
    printf("%g\n", sum);
    return 0;
}
