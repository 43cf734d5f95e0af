/* expect: hang */
#include "late.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int open_gate;
static void *opens(void *unused)
{
    open_gate = 1; /* without the lock, and nobody is told */
    say("open");
    return unused;
}
int main(void)
{
    pthread_t thread = begin(opens);
    do_other_things();
    JOIN_IF_RIGHT(thread);
    say("pass");
    pthread_mutex_lock(&lock);
    while (!open_gate)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    JOIN_IF_WRONG(thread);
}
