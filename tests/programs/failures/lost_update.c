/* expect: output */
#include "late.h"
static int total;
static void *add(void *unused)
{
    total += 1;
    say("added");
    return unused;
}
int main(void)
{
    pthread_t thread = begin(add);
    do_other_things();
    JOIN_IF_RIGHT(thread);
    say("add");
    total += 1;
    JOIN_IF_WRONG(thread);
    printf("total %d\n", total);
}
