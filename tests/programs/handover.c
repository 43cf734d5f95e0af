// A mutex that is unlocked by another thread is a semaphore; nothing breaks.
// expect: semwait(gate)
// expect: post(gate)
// never: acq(gate)
// expect: acq(ordinary)
// never: post(ordinary)
// tsan only: an unlock by another thread is a mistake to it, and releases nothing
#include <pthread.h>
#include <semaphore.h>

pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER, ordinary = PTHREAD_MUTEX_INITIALIZER;
pthread_barrier_t barrier;
sem_t semaphore;
int data;

static void *opener(void *unused)
{
    data = 1;
    pthread_mutex_unlock(&gate);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&semaphore, 0, 0);
    pthread_barrier_init(&barrier, NULL, 1);
    pthread_mutex_lock(&gate);
    pthread_create(&thread, NULL, opener, NULL);
    pthread_mutex_lock(&gate);
    int seen = data;
    pthread_mutex_unlock(&gate);
    pthread_join(thread, NULL);
    pthread_mutex_lock(&ordinary);
    pthread_mutex_unlock(&ordinary);
    return seen == 1 ? 0 : 1;
}
