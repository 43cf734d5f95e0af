// deadlock: A
// The thread that took the lock is gone.
#include "hang.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *take(void *unused)
{
    pthread_mutex_lock(&lock);
    return unused;
}
int main(void)
{
    finish(start(take));
    pthread_mutex_lock(&lock); //@A
}
