// The main thread sleeps in something that is no lock: it may yet signal.
#include "hang.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static sem_t items;
static void *waiter(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&work, &lock);
    return unused;
}
static void *taker(void *unused)
{
    sem_wait(&items);
    return unused;
}
int main(void)
{
    sem_init(&items, 0, 0);
    start(waiter);
    start(taker);
    pause();
}
