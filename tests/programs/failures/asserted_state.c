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
    JOIN_IF_RIGHT(thread);
    say("send");
    enum state seen = state;
    assert(seen == OPEN);
    JOIN_IF_WRONG(thread);
}
