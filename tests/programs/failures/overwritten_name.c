/* expect: output */
#include "late.h"
static char initial;
static void *name_it(void *unused)
{
    initial = 'a';
    say("named");
    return unused;
}
int main(void)
{
    pthread_t thread = begin(name_it);
    do_other_things();
    JOIN_IF_RIGHT(thread);
    say("rename");
    initial = 'b';
    JOIN_IF_WRONG(thread);
    printf("called %c\n", initial);
}
