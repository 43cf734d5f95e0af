// The harmless twin of atomic_counter: one read-modify-write a ticket.
// hb: none
// atomicity: none
// replay: none
#include <preplay/preplay.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int tickets = 2, sold;

static void draw(void)
{
    preplay_block_begin("draw");
    if (atomic_fetch_sub(&tickets, 1) > 0)
        atomic_fetch_add(&sold, 1);
    preplay_block_end("draw");
}

static void *run(void *unused)
{
    draw();
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    draw();
    pthread_join(thread, NULL);
    return 0;
}
