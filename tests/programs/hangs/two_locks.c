// deadlock: A B
#include "hang.h"
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *unused)
{
    pthread_mutex_lock(&a);
    meet(2);
    pthread_mutex_lock(&b); //@A
    return unused;
}
static void *two(void *unused)
{
    pthread_mutex_lock(&b);
    meet(2);
    pthread_mutex_lock(&a); //@B
    return unused;
}
int main(void)
{
    pthread_t first = start(one), second = start(two);
    finish(first);
    finish(second);
}
