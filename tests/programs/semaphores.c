// A semaphore as a hand-over, one posted from a signal handler, one that runs out.
// expect: post(full)
// expect: semwait(full)
// expect: post(rung)
// expect: semwait(rung)
// hb: none
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

sem_t full, rung, none;
int item;

static void *produce(void *unused)
{
    item = 42;
    sem_post(&full);
    return unused;
}

static void ring(int signal)
{
    (void)signal;
    sem_post(&rung);
}

int main(void)
{
    pthread_t thread;
    struct timespec past = {1, 0};
    sem_init(&full, 0, 0);
    sem_init(&rung, 0, 0);
    sem_init(&none, 0, 0);
    if (sem_trywait(&none) == 0 || errno != EAGAIN)
        return 1;
    if (sem_timedwait(&none, &past) == 0 || errno != ETIMEDOUT)
        return 2;
    signal(SIGUSR1, ring);
    raise(SIGUSR1);
    while (sem_wait(&rung))
        ;
    pthread_create(&thread, NULL, produce, NULL);
    while (sem_wait(&full))
        ;
    int seen = item;
    pthread_join(thread, NULL);
    return seen == 42 ? 0 : 3;
}
