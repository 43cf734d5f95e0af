/* A thread is cancelled while it waits: that is no deadlock. */
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void un(void *a)
{
    pthread_mutex_unlock(a);
}
static void *wait(void *a)
{
    pthread_mutex_lock(&m);
    pthread_cleanup_push(un, &m);
    for (;;)
        pthread_cond_wait(&c, &m);
    pthread_cleanup_pop(1);
    return a;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, wait, 0);
    pthread_cancel(t);
    pthread_join(t, 0);
    return 0;
}
