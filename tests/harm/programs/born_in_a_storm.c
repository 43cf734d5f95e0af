/* Threads that begin while a timer's signals keep coming, with a handler that touches memory of the
 * program: a signal may be the first thing that a thread ever sees. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

enum { THREADS = 1500 };

static volatile int touched;

static void on_signal(int number)
{
    (void)number;
    if (touched)
        puts("touched");
}

static void *nothing(void *unused)
{
    return unused;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    struct itimerval often = {{0, 10}, {0, 10}};
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &often, NULL);
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        sigset_t mask;
        pthread_create(&thread, NULL, nothing, NULL);
        pthread_join(thread, NULL);
        pthread_sigmask(SIG_BLOCK, NULL, &mask);
        if (sigismember(&mask, SIGPROF))
            puts("blocked");
    }
    puts("done");
    return 0;
}
