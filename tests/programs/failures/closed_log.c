/* expect: output */
#include "late.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int descriptor = 1, written;
static void *save(void *unused)
{
    LOCK_IF_RIGHT(&lock);
    if (dprintf(descriptor, "saved\n") < 0)
        dprintf(2, "cannot save\n");
    written = 1;
    UNLOCK_IF_RIGHT(&lock);
    say("has saved");
    return unused;
}
int main(void)
{
    pthread_t thread = begin(save);
    do_other_things();
    say("close");
#ifdef RIGHT
    pthread_join(thread, NULL);
    descriptor = -1;
#else
    descriptor = -1;
    pthread_join(thread, NULL);
#endif
    return !written;
}
