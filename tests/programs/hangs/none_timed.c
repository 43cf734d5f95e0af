// Both give up after a while.
#include "hang.h"
#include <time.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static struct timespec later(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_sec += 60;
    return time;
}
static void *one(void *unused)
{
    struct timespec until = later();
    pthread_mutex_lock(&a);
    meet(2);
    pthread_mutex_timedlock(&b, &until);
    return unused;
}
int main(void)
{
    struct timespec until = later();
    start(one);
    pthread_mutex_lock(&b);
    meet(2);
    pthread_mutex_timedlock(&a, &until);
}
