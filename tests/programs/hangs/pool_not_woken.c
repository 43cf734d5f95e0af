// deadlock: A
// Of three workers one is woken to end: signal, where it should be broadcast.
#include "hang.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static int over, waiting;
static void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    waiting++;
    while (!over)
        pthread_cond_wait(&work, &lock); //@A
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        threads[i] = start(worker);
    for (int all = 0; !all;) {
        pthread_mutex_lock(&lock);
        all = waiting == 4;
        over = all;
        pthread_mutex_unlock(&lock);
    }
    pthread_cond_signal(&work);
    for (int i = 0; i < 4; i++)
        finish(threads[i]);
}
