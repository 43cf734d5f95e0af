// deadlock: A B
// The one who would signal needs a lock that the waiter keeps.
#include "hang.h"
static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int flag;
static void *signal_it(void *unused)
{
    meet(2);
    pthread_mutex_lock(&outer); //@A
    pthread_mutex_lock(&inner);
    flag = 1;
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
    return unused;
}
int main(void)
{
    pthread_t thread = start(signal_it);
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&inner);
    meet(2);
    while (!flag)
        pthread_cond_wait(&ready, &inner); //@B
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
    finish(thread);
}
