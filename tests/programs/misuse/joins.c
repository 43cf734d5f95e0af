// case itself: bad-join observed itself
// case detached: bad-join observed detached
// case twice: bad-join observed again
// case once: nothing
// Joins that cannot be.
#include "../patience.h"

#include <pthread.h>
#include <string.h>

static void *sleeper(void *unused)
{
    usleep(20000);
    return unused;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "once";
    pthread_t thread;
    if (strcmp(name, "itself") == 0) {
        pthread_join(pthread_self(), NULL); //@itself
        return 0;
    }
    pthread_create(&thread, NULL, sleeper, NULL);
    if (strcmp(name, "detached") == 0) {
        pthread_detach(thread);
        pthread_join(thread, NULL); //@detached
    } else {
        pthread_join(thread, NULL);
        if (strcmp(name, "twice") == 0)
            pthread_join(thread, NULL); //@again
    }
    return 0;
}
