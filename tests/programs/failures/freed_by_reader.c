/* expect: use-after-free */
#include "late.h"
static int *message;
static void *receive(void *unused)
{
    printf("%d\n", *message);
    say("received");
    return unused;
}
int main(void)
{
    message = malloc(sizeof *message);
    *message = 7;
    pthread_t thread = begin(receive);
    do_other_things();
    JOIN_IF_RIGHT(thread);
    say("drop");
    free(message);
    JOIN_IF_WRONG(thread);
}
