/* expect: output */
#include "late.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int items[4], count;
static void push(int item)
{
    LOCK_IF_RIGHT(&lock);
    int place = count;
    items[place] = item;
    count = place + 1;
    UNLOCK_IF_RIGHT(&lock);
}
static void *produce(void *unused)
{
    push(1);
    say("pushed");
    return unused;
}
int main(void)
{
    pthread_t thread = begin(produce);
    do_other_things();
    say("push");
    push(2);
    pthread_join(thread, NULL);
    printf("%d items\n", count);
}
