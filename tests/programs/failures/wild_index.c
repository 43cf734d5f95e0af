/* expect: crash */
#include "late.h"
static int table[4] = {1, 2, 3, 4};
static long where = 1L << 40;
static void *init(void *unused)
{
    where = 2;
    say("set");
    return unused;
}
int main(void)
{
    pthread_t thread = begin(init);
    do_other_things();
    JOIN_IF_RIGHT(thread);
    say("look");
    printf("%d\n", table[where]);
    JOIN_IF_WRONG(thread);
}
