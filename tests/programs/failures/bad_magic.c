/* expect: abort */
#include "late.h"
static unsigned magic;
static void *init(void *unused)
{
    magic = 0xfeed;
    say("made");
    return unused;
}
int main(void)
{
    pthread_t thread = begin(init);
    do_other_things();
    JOIN_IF_RIGHT(thread);
    say("check");
    if (magic != 0xfeed)
        abort();
    JOIN_IF_WRONG(thread);
}
