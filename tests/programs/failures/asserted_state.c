/* expect: assertion */
#include "late.h"
#include <assert.h>
enum state { OPENING, OPEN, CLOSED };
static enum state state;
static void *open_it(void *unused)
{
    state = OPEN;
    say("open");
    return unused;
}
int main(void)
{
    pthread_t thread = begin(open_it);
    do_other_things();
    say("send");
    enum state seen = state;
    assert(seen == OPEN);
    pthread_join(thread, NULL);
}
