// Signals at any moment, with handlers that access memory and post semaphores.
// expect: post(rung)
// hb: none
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/time.h>

sem_t rung;
volatile int noise[1000];
atomic_int rings;

static void ring(int signal)
{
    (void)signal;
    atomic_fetch_add(&rings, 1);
    sem_post(&rung);
}

static void *work(void *argument)
{
    static __thread int mine[1000];
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    (void)argument;
    while (atomic_load(&rings) < 300) {
        pthread_mutex_lock(&own);
        for (int i = 0; i < 1000; i++)
            mine[i]++;
        pthread_mutex_unlock(&own);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    struct itimerval often = {{0, 200}, {0, 200}}, stop = {{0, 0}, {0, 0}};
    sem_init(&rung, 0, 0);
    struct sigaction action = {.sa_handler = ring, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 200; i++)
        while (sem_wait(&rung))
            ;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    setitimer(ITIMER_REAL, &stop, NULL);
    return 0;
}
