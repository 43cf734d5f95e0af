/* expect: output */
#include "late.h"
static int result;
static void *work(void *unused)
{
    result = 42;
    say("done");
    return unused;
}
int main(void)
{
    pthread_t thread = begin(work);
    do_other_things();
    JOIN_IF_RIGHT(thread);
    say("print");
    printf("result %d\n", result);
    JOIN_IF_WRONG(thread);
}
