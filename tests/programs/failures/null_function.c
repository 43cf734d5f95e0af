/* expect: crash */
#include "late.h"
static int answer(void)
{
    return 42;
}
static int (*function)(void);
static void *init(void *unused)
{
    function = answer;
    say("registered");
    return unused;
}
int main(void)
{
    pthread_t thread = begin(init);
    do_other_things();
    JOIN_IF_RIGHT(thread);
    say("call");
    printf("%d\n", function());
    JOIN_IF_WRONG(thread);
}
