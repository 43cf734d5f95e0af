/* expect: exit-code */
#include "late.h"
static int failed = 3;
static void *work(void *unused)
{
    failed = 0;
    say("worked");
    return unused;
}
int main(void)
{
    pthread_t thread = begin(work);
    do_other_things();
    JOIN_IF_RIGHT(thread);
    say("leave");
    int code = failed;
    JOIN_IF_WRONG(thread);
    return code;
}
