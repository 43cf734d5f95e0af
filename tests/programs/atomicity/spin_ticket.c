// A ticket is read and advanced in two sections of a spinlock: two callers may get the same.
// record: --blocks
// hb: none
// atomicity: ticket
// sound: ticket
// replay: ticket
#include "../patience.h"
#include <pthread.h>

pthread_spinlock_t lock;
int next_ticket;

__attribute__((noinline)) static int ticket(void)
{
    pthread_spin_lock(&lock);
    int mine = next_ticket;
    pthread_spin_unlock(&lock);
    pthread_spin_lock(&lock);
    next_ticket = mine + 1;
    pthread_spin_unlock(&lock);
    return mine;
}

static void *restart(void *unused)
{
    usleep(20000); /* late in the recorded run */
    pthread_spin_lock(&lock);
    next_ticket = 1000;
    pthread_spin_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&thread, NULL, restart, NULL);
    ticket();
    pthread_join(thread, NULL);
    return 0;
}
