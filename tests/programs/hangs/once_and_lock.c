// deadlock: A B
#include "hang.h"
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void make(void)
{
    meet(2);
    pthread_mutex_lock(&lock); //@A
    pthread_mutex_unlock(&lock);
}
static void *one(void *unused)
{
    pthread_once(&once, make);
    return unused;
}
int main(void)
{
    pthread_t thread = start(one);
    pthread_mutex_lock(&lock);
    meet(2);
    pthread_once(&once, make); //@B
    pthread_mutex_unlock(&lock);
    finish(thread);
}
