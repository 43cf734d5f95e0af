/* expect: crash */
#include "late.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int items[4] = {1, 2, 3, 4};
static unsigned count = 1;
static void pop(void)
{
    LOCK_IF_RIGHT(&lock);
    if (count > 0) {
#ifndef RIGHT
        pthread_mutex_lock(&lock);
#endif
        count--;
        printf("%d\n", items[count]);
#ifndef RIGHT
        pthread_mutex_unlock(&lock);
#endif
    }
    UNLOCK_IF_RIGHT(&lock);
}
static void *consume(void *unused)
{
    pop();
    say("popped");
    return unused;
}
int main(void)
{
    pthread_t thread = begin(consume);
    do_other_things();
    say("pop");
    pop();
    pthread_join(thread, NULL);
}
