/* expect: use-after-free */
#include "late.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *name;
static char *name_of(char first)
{
    char *made = malloc(2);
    made[0] = first;
    made[1] = 0;
    return made;
}
static void *greet(void *unused)
{
    LOCK_IF_RIGHT(&lock);
    printf("%c\n", name[0]);
    UNLOCK_IF_RIGHT(&lock);
    say("greeted");
    return unused;
}
int main(void)
{
    name = name_of('a');
    pthread_t thread = begin(greet);
    do_other_things();
    say("rename");
    LOCK_IF_RIGHT(&lock);
    char *old = name;
    name = name_of('b');
    free(old);
    UNLOCK_IF_RIGHT(&lock);
    pthread_join(thread, NULL);
    free(name);
}
