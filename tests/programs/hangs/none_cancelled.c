// ends: 0
// Whoever was cancelled in a wait waits no more: its cleanup handler ends the program.
#include "hang.h"
static sem_t never;
static void last(void *unused)
{
    (void)unused;
    exit(0);
}
static void *wait_for_ever(void *unused)
{
    pthread_cleanup_push(last, NULL);
    meet(2);
    sem_wait(&never);
    pthread_cleanup_pop(0);
    return unused;
}
int main(void)
{
    sem_init(&never, 0, 0);
    pthread_t thread = start(wait_for_ever);
    meet(2);
    usleep(100000);
    pthread_cancel(thread);
    pause();
}
