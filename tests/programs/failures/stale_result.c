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
    say("print");
    printf("result %d\n", result);
    pthread_join(thread, NULL);
}
