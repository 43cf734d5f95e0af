/* expect: double-free */
#include "late.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *buffer;
static void drop(void)
{
    LOCK_IF_RIGHT(&lock);
    if (buffer)
        free(buffer);
    buffer = NULL;
    UNLOCK_IF_RIGHT(&lock);
}
static void *close_it(void *unused)
{
    drop();
    say("closed");
    return unused;
}
int main(void)
{
    buffer = malloc(100);
    pthread_t thread = begin(close_it);
    do_other_things();
    say("close");
    drop();
    pthread_join(thread, NULL);
}
