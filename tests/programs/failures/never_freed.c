/* expect: output */
#include "late.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int users = 2;
static void leave(void)
{
    LOCK_IF_RIGHT(&lock);
    int rest = users - 1;
    users = rest;
    UNLOCK_IF_RIGHT(&lock);
    if (!rest)
        printf("freed\n");
}
static void *work(void *unused)
{
    leave();
    say("left");
    return unused;
}
int main(void)
{
    pthread_t thread = begin(work);
    do_other_things();
    say("leave");
    leave();
    pthread_join(thread, NULL);
}
