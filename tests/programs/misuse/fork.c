// case held: fork-held observed child
// case handled: nothing
// case execs: nothing
// case before: nothing
// A mutex that is locked when the process forks is locked in the child for good.
#include "../patience.h"

#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t held, go_on;

static void *holder(void *unused)
{
    pthread_mutex_lock(&lock);
    sem_post(&held);
    sem_wait(&go_on);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void take(void)
{
    pthread_mutex_lock(&lock);
}

static void give(void)
{
    pthread_mutex_unlock(&lock);
}

static int child(const char *name)
{
    if (strcmp(name, "execs") == 0)
        return execl("/bin/true", "true", (char *)NULL);
    alarm(2);
    pthread_mutex_lock(&lock); //@child
    pthread_mutex_unlock(&lock);
    _exit(0);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "held";
    int handled = strcmp(name, "handled") == 0, before = strcmp(name, "before") == 0;
    pthread_t thread;
    sem_init(&held, 0, 0);
    sem_init(&go_on, 0, 0);
    if (handled)
        pthread_atfork(take, give, give);
    pthread_create(&thread, NULL, holder, NULL);
    sem_wait(&held);
    if (handled || before)
        sem_post(&go_on);
    if (before)
        pthread_join(thread, NULL);
    pid_t process = fork();
    if (process == 0)
        child(name);
    waitpid(process, NULL, 0);
    if (!handled && !before)
        sem_post(&go_on);
    if (!before)
        pthread_join(thread, NULL);
    return 0;
}
