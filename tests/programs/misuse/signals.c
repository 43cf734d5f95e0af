// case locks: signal-unsafe observed locks
// case allocates: signal-unsafe observed allocates
// case spoils: errno-spoilt observed spoils
// case posts: nothing
// case raised: nothing
// case jumps: nothing
// case saves: nothing
// What handlers of signals that may come at any time must not do.
#include "../patience.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore;
static const char *name = "posts";
static volatile sig_atomic_t done;
static void *volatile kept;
static sigjmp_buf back;

static int is(const char *other)
{
    return strcmp(name, other) == 0;
}

static void handler(int number)
{ //@spoils
    int before = errno;
    (void)number;
    if (is("locks") || is("raised")) {
        pthread_mutex_lock(&lock); //@locks
        pthread_mutex_unlock(&lock);
    } else if (is("allocates")) {
        kept = malloc(10); //@allocates
    } else if (is("posts")) {
        sem_post(&semaphore);
    }
    done = 1;
    if (is("jumps"))
        siglongjmp(back, 1);
    errno = EDOM;
    if (!is("spoils"))
        errno = before;
}

static void *sender(void *to)
{
    pthread_kill(*(pthread_t *)to, SIGUSR1);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t self = pthread_self(), thread;
    struct sigaction action;
    if (argc > 1)
        name = argv[1];
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigaction(SIGUSR1, &action, NULL);
    sem_init(&semaphore, 0, 0);
    if (is("raised")) {
        raise(SIGUSR1);
        return 0;
    }
    if (sigsetjmp(back, 1) == 0) {
        pthread_create(&thread, NULL, sender, &self);
        while (!done)
            usleep(1000);
    }
    pthread_mutex_lock(&lock);
    free(malloc(20));
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
