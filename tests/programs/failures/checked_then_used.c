/* expect: crash */
#include "late.h"
static int value = 42, *volatile shared = &value;
static void *use(void *unused)
{
    if (shared)
        printf("%d\n", *shared);
    say("used");
    return unused;
}
int main(void)
{
    pthread_t thread = begin(use);
    do_other_things();
    JOIN_IF_RIGHT(thread);
    say("close");
    shared = NULL;
    JOIN_IF_WRONG(thread);
}
