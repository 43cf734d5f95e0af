// deadlock: A
// The signal comes before the wait, and nobody looks at a predicate.
#include "hang.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static void *signal_it(void *unused)
{
    pthread_cond_signal(&ready);
    return unused;
}
int main(void)
{
    finish(start(signal_it));
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&ready, &lock); //@A
    pthread_mutex_unlock(&lock);
}
