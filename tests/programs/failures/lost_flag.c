/* expect: exit-code */
#include "late.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned flags;
static void set(unsigned flag)
{
    LOCK_IF_RIGHT(&lock);
    flags |= flag;
    UNLOCK_IF_RIGHT(&lock);
}
static void *open_it(void *unused)
{
    set(1);
    say("open");
    return unused;
}
int main(void)
{
    pthread_t thread = begin(open_it);
    do_other_things();
    say("lock");
    set(2);
    pthread_join(thread, NULL);
    return flags != 3;
}
