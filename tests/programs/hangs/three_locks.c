// deadlock: A B C
#include "hang.h"
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER,
                       c = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *unused)
{
    pthread_mutex_lock(&a);
    meet(3);
    pthread_mutex_lock(&b); //@A
    return unused;
}
static void *two(void *unused)
{
    pthread_mutex_lock(&b);
    meet(3);
    pthread_mutex_lock(&c); //@B
    return unused;
}
int main(void)
{
    start(one);
    start(two);
    pthread_mutex_lock(&c);
    meet(3);
    pthread_mutex_lock(&a); //@C
}
