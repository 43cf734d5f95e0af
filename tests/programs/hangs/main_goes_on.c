// deadlock: A B
// ends: 7
// Two threads are stuck; the program ends without them.
#include "hang.h"
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
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
    pthread_mutex_lock(&a); //@B
    return unused;
}
int main(void)
{
    start(one);
    start(two);
    meet(3);
    usleep(900000);
    return 7;
}
