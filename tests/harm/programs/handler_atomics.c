/* A timer's handler with an atomic operation on the object that the interrupted code is at. With
 * an argument the signals go to the threads that are at it themselves. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 200000 };

static _Atomic long counter, handled;
static _Atomic int flag, done;

static void on_signal(int number)
{
    (void)number;
    atomic_fetch_add(&counter, 1);
    atomic_fetch_add(&handled, 1);
    atomic_store(&flag, 1);
}

static void *count(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        atomic_fetch_add(&counter, 1);
        (void)atomic_load(&flag);
    }
    atomic_fetch_add(&done, 1);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    (void)argv;
    sigaction(SIGALRM, &action, NULL);
    if (argc == 1)
        setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, count, NULL);
    while (argc > 1 && atomic_load(&done) < THREADS / 2) {
        for (int i = 0; i < THREADS; i++)
            pthread_kill(threads[i], SIGALRM);
        usleep(200);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    setitimer(ITIMER_REAL, &never, NULL);
    puts(atomic_load(&counter) == THREADS * ROUNDS + atomic_load(&handled) ? "right" : "wrong");
    return 0;
}
