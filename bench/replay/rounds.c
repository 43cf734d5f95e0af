/* 10^5 synchronisation events, and a race at the end that a lock hides: what is measured
 * is how long the way there takes.
 *
 *     rounds SHAPE THREADS WORK
 *
 * SHAPE is `lock` (one mutex for all), `locks` (one for each pair of neighbours), `turns`
 * (a condition says whose turn it is: every round changes hands), `posts` (a chain of
 * semaphores, the same) or `barrier`. WORK is iterations of arithmetic inside and outside
 * of what the round does. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, locks[64];
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t posts[64];
static long total, threads, work, turn, part[64];
static int last;

static long spin(long seed)
{
    for (long i = 0; i < work; i++)
        seed = seed * 6364136223846793005L + 1442695040888963407L;
    return seed;
}

static void *run_lock(void *argument)
{
    long seed = (long)argument;
    for (long i = 0; i < 50000 / threads; i++) {
        seed = spin(seed);
        pthread_mutex_lock(&lock);
        total += spin(seed) & 1;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *run_locks(void *argument)
{
    long mine = (long)argument, seed = mine;
    for (long i = 0; i < 50000 / threads; i++) {
        long other = (mine + (i & 1)) % threads;
        seed = spin(seed);
        pthread_mutex_lock(&locks[other]);
        part[other] += spin(seed) & 1;
        pthread_mutex_unlock(&locks[other]);
    }
    return NULL;
}

static void *run_turns(void *argument)
{
    long mine = (long)argument, seed = mine;
    for (long i = 0; i < 20000 / threads; i++) {
        seed = spin(seed);
        pthread_mutex_lock(&lock);
        while (turn != mine)
            pthread_cond_wait(&changed, &lock);
        turn = (mine + 1) % threads;
        total += spin(seed) & 1;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *run_posts(void *argument)
{
    long mine = (long)argument, seed = mine;
    for (long i = 0; i < 50000 / threads; i++) {
        sem_wait(&posts[mine]);
        seed = spin(seed);
        sem_post(&posts[(mine + 1) % threads]);
    }
    return NULL;
}

static void *run_barrier(void *argument)
{
    long seed = (long)argument;
    for (long i = 0; i < 50000 / threads; i++) {
        seed = spin(seed);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

static void *first(void *unused)
{
    last = 1;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *(*shape_of(const char *name))(void *)
{
    return !strcmp(name, "locks")     ? run_locks
           : !strcmp(name, "turns")   ? run_turns
           : !strcmp(name, "posts")   ? run_posts
           : !strcmp(name, "barrier") ? run_barrier
                                      : run_lock;
}

int main(int argc, char **argv)
{
    pthread_t all[64], one;
    void *(*run)(void *) = shape_of(argc > 1 ? argv[1] : "lock");
    threads = argc > 2 ? atol(argv[2]) : 2;
    work = argc > 3 ? atol(argv[3]) : 0;
    pthread_barrier_init(&barrier, NULL, (unsigned)threads);
    for (long i = 0; i < threads; i++) {
        sem_init(&posts[i], 0, i == 0);
        pthread_mutex_init(&locks[i], NULL);
    }
    for (long i = 0; i < threads; i++)
        pthread_create(&all[i], NULL, run, (void *)i);
    for (long i = 0; i < threads; i++)
        pthread_join(all[i], NULL);
    pthread_create(&one, NULL, first, NULL);
    usleep(10000);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    last = 2;
    pthread_join(one, NULL);
    printf("%ld %d\n", total, last);
    return 0;
}
