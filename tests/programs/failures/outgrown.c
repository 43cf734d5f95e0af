/* expect: heap */
#include "late.h"
#include <string.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile size_t length = 16;
static void *configure(void *unused)
{
    LOCK_IF_RIGHT(&lock);
    length = 40000;
    UNLOCK_IF_RIGHT(&lock);
    say("configured");
    return unused;
}
int main(void)
{
    pthread_t thread = begin(configure);
    do_other_things();
    say("fill");
    LOCK_IF_RIGHT(&lock);
    char *buffer = malloc(length);
    memset(buffer, 'x', length); /* which may be longer by now */
    UNLOCK_IF_RIGHT(&lock);
    char *more = malloc(100000);
    printf("%c\n", buffer[7]);
    free(more);
    free(buffer);
    pthread_join(thread, NULL);
}
