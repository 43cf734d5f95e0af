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
    say("another error");
    errors = errors + 1;
    pthread_join(thread, NULL);
    return errors;
}
