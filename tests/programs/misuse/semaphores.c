// case awaited: destroy-awaited observed awaited
// case overflow: semaphore-overflow observed overflow
// case count: bad-count observed count
// case joined: nothing
// case most: nothing
// case spin: use-destroyed observed spin_destroy spin_used
// case spin_again: nothing
// Semaphores destroyed under who waits and posted too often, a barrier for nobody, a spinlock used
// late.
#include "../patience.h"

#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

static sem_t semaphore;
static pthread_spinlock_t spin;

static void *waiter(void *unused)
{
    sem_wait(&semaphore);
    return unused;
}

static void wait_for_waiter(void)
{
    volatile unsigned *words = (volatile unsigned *)&semaphore;
    while (!words[1])
        usleep(1000);
}

static int spins(int again)
{
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_destroy(&spin); //@spin_destroy
    if (again)
        pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&spin); //@spin_used
    return pthread_spin_unlock(&spin);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "joined";
    pthread_barrier_t barrier;
    pthread_t thread;
    if (strncmp(name, "spin", 4) == 0)
        return spins(strcmp(name, "spin_again") == 0);
    if (strcmp(name, "count") == 0) {
        pthread_barrier_init(&barrier, NULL, 0); //@count
        return 0;
    }
    if (strcmp(name, "overflow") == 0 || strcmp(name, "most") == 0) {
        sem_init(&semaphore, 0, SEM_VALUE_MAX - (name[0] == 'm'));
        sem_post(&semaphore); //@overflow
        return 0;
    }
    sem_init(&semaphore, 0, 0);
    pthread_create(&thread, NULL, waiter, NULL);
    if (strcmp(name, "joined") == 0) {
        sem_post(&semaphore);
        pthread_join(thread, NULL);
        sem_destroy(&semaphore);
        return 0;
    }
    wait_for_waiter();
    sem_destroy(&semaphore); //@awaited
    sem_post(&semaphore);
    return pthread_join(thread, NULL);
}
