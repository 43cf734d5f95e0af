// Everything at once, contended: the order that is read back must obey every lock,
// condition, barrier and semaphore, or events are left out.
// expect: acq(mutex)
// expect: wracq(rwlock)
// expect: semwait(semaphore)
// expect: woken(condition,mutex)
// hb: none
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>

enum { THREADS = 6, ROUNDS = 400 };
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, tried = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
pthread_barrier_t barrier;
sem_t semaphore;
_Atomic int tickets, turn;
int by_mutex, by_tried, by_rwlock, by_semaphore, by_turn, token;

static void once_around(int self)
{
    pthread_mutex_lock(&mutex);
    by_mutex++;
    pthread_mutex_unlock(&mutex);
    if (pthread_mutex_trylock(&tried) == 0) {
        by_tried++;
        pthread_mutex_unlock(&tried);
    }
    if (self % 2) {
        pthread_rwlock_rdlock(&rwlock);
        if (by_rwlock < 0)
            pthread_exit(NULL);
        pthread_rwlock_unlock(&rwlock);
    } else {
        pthread_rwlock_wrlock(&rwlock);
        by_rwlock++;
        pthread_rwlock_unlock(&rwlock);
    }
    while (sem_wait(&semaphore))
        ;
    by_semaphore++;
    sem_post(&semaphore);
    int mine = atomic_fetch_add(&tickets, 1);
    while (atomic_load_explicit(&turn, memory_order_acquire) != mine)
        sched_yield();
    by_turn++;
    atomic_store_explicit(&turn, mine + 1, memory_order_release);
}

/* The token goes round: each thread waits for its number. */
static void pass_token(int self)
{
    pthread_mutex_lock(&mutex);
    while (token != self)
        pthread_cond_wait(&condition, &mutex);
    token = (self + 1) % THREADS;
    pthread_cond_broadcast(&condition);
    pthread_mutex_unlock(&mutex);
}

static void *run(void *argument)
{
    int self = (int)(long)argument;
    for (int i = 0; i < ROUNDS; i++) {
        if (i % 20 == 0) {
            pass_token(self);
            pthread_barrier_wait(&barrier);
        }
        once_around(self);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    sem_init(&semaphore, 0, 1);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    int all = THREADS * ROUNDS;
    return by_mutex == all && by_semaphore == all && by_turn == all && by_rwlock == all / 2 ? 0 : 1;
}
