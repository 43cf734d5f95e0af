/* expect: assertion */
#include "late.h"
#include <assert.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, count_lock = PTHREAD_MUTEX_INITIALIZER;
static int done, instances;
static void init(void)
{
    LOCK_IF_RIGHT(&lock);
    if (!done) {
        done = 1;
        pthread_mutex_lock(&count_lock);
        instances++;
        pthread_mutex_unlock(&count_lock);
    }
    UNLOCK_IF_RIGHT(&lock);
}
static void *use(void *unused)
{
    init();
    say("used");
    return unused;
}
int main(void)
{
    pthread_t thread = begin(use);
    do_other_things();
    say("use");
    init();
    pthread_join(thread, NULL);
    assert(instances == 1);
}
