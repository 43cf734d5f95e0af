/* expect: exit-code */
#include "late.h"
static int errors;
static void *check(void *unused)
{
    errors = errors + 1;
    say("one error");
    return unused;
}
int main(void)
{
    pthread_t thread = begin(check);
    do_other_things();
    JOIN_IF_RIGHT(thread);
    say("another error");
    errors = errors + 1;
    JOIN_IF_WRONG(thread);
    return errors;
}
