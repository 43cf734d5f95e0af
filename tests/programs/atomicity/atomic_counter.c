// Every operation is atomic, the two together are not.
// hb: none
// atomicity: draw
// replay: draw
#include "../patience.h"
#include <preplay/preplay.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int tickets = 2, sold;

static void draw(void)
{
    preplay_block_begin("draw");
    if (atomic_load(&tickets) > 0) {
        atomic_fetch_sub(&tickets, 1);
        atomic_fetch_add(&sold, 1);
    }
    preplay_block_end("draw");
}

static void *cancel(void *unused)
{
    usleep(20000); /* late in the recorded run */
    atomic_store(&tickets, 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, cancel, NULL);
    draw();
    pthread_join(thread, NULL);
    return 0;
}
