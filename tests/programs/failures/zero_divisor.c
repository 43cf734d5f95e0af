/* expect: crash */
#include "late.h"
static int divisor;
static void *init(void *unused)
{
    divisor = 7;
    say("set");
    return unused;
}
int main(void)
{
    pthread_t thread = begin(init);
    do_other_things();
    JOIN_IF_RIGHT(thread);
    say("divide");
    printf("%d\n", 42 / divisor);
    JOIN_IF_WRONG(thread);
}
