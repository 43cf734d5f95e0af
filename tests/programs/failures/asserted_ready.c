/* expect: assertion */
#include "late.h"
#include <assert.h>
static int ready;
static void *init(void *unused)
{
    ready = 1;
    say("ready");
    return unused;
}
int main(void)
{
    pthread_t thread = begin(init);
    do_other_things();
    JOIN_IF_RIGHT(thread);
    say("check");
    assert(ready);
    JOIN_IF_WRONG(thread);
}
