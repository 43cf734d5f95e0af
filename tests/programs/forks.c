// A child process records into its own directory, and its exit code is its own.
// expect: w(before)
// hb: none
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int before, after;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *unused)
{
    pthread_mutex_lock(&mutex);
    before++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static int both(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    run(NULL);
    return pthread_join(thread, NULL);
}

int main(void)
{
    int status;
    both();
    pid_t child = fork();
    if (child == 0) {
        both();
        after = before;
        exit(after == 4 ? 17 : 1);
    }
    waitpid(child, &status, 0);
    both();
    pid_t quick = vfork();
    if (quick == 0) {
        execlp("true", "true", (char *)NULL);
        _exit(1);
    }
    int second;
    waitpid(quick, &second, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 17 && second == 0 && before == 4 ? 0 : 1;
}
