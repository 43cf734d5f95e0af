/* expect: crash */
#include "late.h"
static int value = 42, *pointer;
static void *init(void *unused)
{
    pointer = &value;
    say("set");
    return unused;
}
int main(void)
{
    pthread_t thread = begin(init);
    do_other_things();
    JOIN_IF_RIGHT(thread);
    say("use");
    printf("%d\n", *pointer);
    JOIN_IF_WRONG(thread);
}
