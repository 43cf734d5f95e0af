/* Every operation that a recording can hold, for the golden recordings. */
#include <preplay/preplay.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, fresh, rest = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t barrier;
static sem_t semaphore;
static atomic_int flag, total;
static pthread_t main_thread;
static int ready, racy, numbers[600];
static char *heap, *mapped;

static void initialise(void)
{
    numbers[0] = 1;
}

static void handle(int number)
{
    free(malloc((size_t)number));
}

static void *idle(void *unused)
{
    return unused;
}

static void use_locks(void)
{
    pthread_mutex_lock(&mutex);
    racy = pthread_mutex_trylock(&fresh) ? racy : 2;
    pthread_mutex_unlock(&fresh);
    pthread_mutex_unlock(&mutex);
    pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
    pthread_rwlock_wrlock(&rwlock);
    numbers[1]++;
    pthread_rwlock_unlock(&rwlock);
}

static void *worker(void *unused)
{
    pthread_once(&once, initialise);
    pthread_barrier_wait(&barrier);
    racy++;
    use_locks();
    preplay_block_begin("transfer");
    for (int i = 2; i < 300; i++)
        numbers[i] = i;
    preplay_block_end("transfer");
    memset(heap, 1, 64);
    mapped[1] = heap[1];
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&condition);
    pthread_cond_broadcast(&condition);
    pthread_mutex_unlock(&mutex);
    atomic_fetch_add_explicit(&total, 1, memory_order_acq_rel);
    atomic_store_explicit(&flag, 1, memory_order_release);
    atomic_thread_fence(memory_order_seq_cst);
    pthread_kill(main_thread, SIGUSR1);
    sem_post(&semaphore);
    return unused;
}

static void misuse_locks(void)
{
    pthread_mutex_lock(&fresh);
    pthread_mutex_destroy(&fresh); /* refused */
    pthread_mutex_unlock(&fresh);
    pthread_mutex_destroy(&fresh);
    pthread_mutex_lock(&fresh);
    pthread_mutex_unlock(&mutex);
    pthread_cond_timedwait(&condition, &rest, &(struct timespec){0, 0});
    pthread_join(pthread_self(), NULL);
    pthread_cond_destroy(&condition);
    pthread_barrier_destroy(&barrier);
    pthread_barrier_init(&barrier, NULL, 0);
    sem_destroy(&semaphore);
}

int main(void)
{
    pthread_t thread, other;
    main_thread = pthread_self();
    signal(SIGUSR1, handle);
    pthread_create(&other, NULL, idle, NULL);
    pthread_detach(other);
    pthread_mutex_init(&fresh, NULL);
    pthread_barrier_init(&barrier, NULL, 2);
    sem_init(&semaphore, 0, 0);
    heap = malloc(64);
    mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_create(&thread, NULL, worker, NULL);
    pthread_once(&once, initialise);
    pthread_barrier_wait(&barrier);
    racy++;
    pthread_mutex_lock(&mutex);
    while (!ready)
        pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    sem_wait(&semaphore);
    while (!atomic_load_explicit(&flag, memory_order_acquire))
        ;
    atomic_fetch_add_explicit(&total, 1, memory_order_relaxed);
    pthread_join(thread, NULL);
    misuse_locks();
    munmap(mapped, 4096);
    free(heap);
    return 0;
}
