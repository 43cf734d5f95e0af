// deadlock: A B
#include "hang.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *unused)
{
    pthread_mutex_lock(&lock); //@A
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void)
{
    pthread_mutex_lock(&lock);
    pthread_join(start(work), NULL); //@B
    pthread_mutex_unlock(&lock);
}
