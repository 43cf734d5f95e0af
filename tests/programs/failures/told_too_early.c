/* expect: hang */
#include "late.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;
static void *prepare(void *unused)
{
#ifdef RIGHT
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
#else
    pthread_cond_signal(&changed); /* before there is anything to see */
    ready = 1;
#endif
    say("ready");
    return unused;
}
int main(void)
{
    pthread_t thread = begin(prepare);
    do_other_things();
    say("go on");
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
}
