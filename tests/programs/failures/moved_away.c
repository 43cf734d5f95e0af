/* expect: use-after-free */
#include "late.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *table;
static void *look(void *unused)
{
    LOCK_IF_RIGHT(&lock);
    int *mine = table;
    printf("%d\n", mine[2]);
    UNLOCK_IF_RIGHT(&lock);
    say("looked");
    return unused;
}
int main(void)
{
    table = calloc(4, sizeof *table);
    table[2] = 7;
    pthread_t thread = begin(look);
    do_other_things();
    say("grow");
    LOCK_IF_RIGHT(&lock);
    table = realloc(table, 1000000);
    UNLOCK_IF_RIGHT(&lock);
    pthread_join(thread, NULL);
}
