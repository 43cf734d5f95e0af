// Workers that wait for work when the program ends have done nothing wrong.
// ends: 0
#include "hang.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    for (;;)
        pthread_cond_wait(&work, &lock);
    return unused;
}
int main(void)
{
    start(worker);
    start(worker);
    usleep(200000);
    return 0;
}
