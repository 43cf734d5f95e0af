/* expect: crash */
#include "late.h"
struct user {
    const char *name;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct user only, *user;
static void *add(void *unused)
{
    LOCK_IF_RIGHT(&lock);
    user = &only; /* everybody can see it, and it has no name yet */
    only.name = "root";
    UNLOCK_IF_RIGHT(&lock);
    say("added");
    return unused;
}
int main(void)
{
    pthread_t thread = begin(add);
    do_other_things();
    say("greet");
    LOCK_IF_RIGHT(&lock);
    if (user)
        printf("%c\n", user->name[0]);
    UNLOCK_IF_RIGHT(&lock);
    pthread_join(thread, NULL);
}
