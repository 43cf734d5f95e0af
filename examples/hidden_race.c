/* A race that a logger hides. The worker stores its result and logs; main logs and
 * reads the result, and has forgotten to wait for the worker. In nearly every run
 * the worker logs first, and then the logger's lock happens to order the two
 * accesses: a detector that watches only the run it sees has nothing to say. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int result;

static void say(const char *who, const char *what)
{
    pthread_mutex_lock(&log_lock);
    printf("%s: %s\n", who, what);
    pthread_mutex_unlock(&log_lock);
}

static void *worker(void *unused)
{
    result = 42;
    say("worker", "the result is there");
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    usleep(100000); /* other things to do */
    say("main", "now for the result");
    printf("the result is %d\n", result);
    pthread_join(thread, NULL);
    return 0;
}
