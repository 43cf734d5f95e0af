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
    say("check");
    assert(ready);
    pthread_join(thread, NULL);
}
