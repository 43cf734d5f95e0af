// A lock that is held for long, by a thread that runs.
#include "hang.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    for (volatile int on = 1; on;)
        usleep(1000);
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void)
{
    pthread_t thread = start(work);
    usleep(100000);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    finish(thread);
}
