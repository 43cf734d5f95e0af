/* A thread with the smallest stack there is does one thing: argv[1] says which. */
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static _Atomic int flag;
static int counter;
static pthread_key_t key;

static void unlock(void *unused)
{
    (void)unused;
    pthread_mutex_unlock(&mutex);
}

static void *run(void *what)
{
    struct timespec long_ago = {0, 0};
    char text[64];
    switch ((long)what) {
    case 0:
        pthread_mutex_lock(&mutex);
        counter++;
        pthread_mutex_unlock(&mutex);
        break;
    case 1:
        pthread_mutex_lock(&mutex);
        pthread_cond_timedwait(&condition, &mutex, &long_ago);
        pthread_mutex_unlock(&mutex);
        break;
    case 2:
        sem_post(&semaphore);
        sem_wait(&semaphore);
        break;
    case 3:
        free(malloc(10));
        break;
    case 4:
        pthread_exit(NULL);
    case 5: /* cancelled in a wait */
        pthread_mutex_lock(&mutex);
        pthread_cleanup_push(unlock, NULL);
        for (;;)
            pthread_cond_wait(&condition, &mutex);
        pthread_cleanup_pop(1);
    case 6: /* cancelled asleep */
        for (;;)
            pause();
    case 7:
        counter += snprintf(text, sizeof text, "%d", counter);
        break;
    case 8:
        pthread_setspecific(key, &counter);
        flag++;
        break;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    long what = argc > 1 ? atol(argv[1]) : 0;
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_key_create(&key, unlock);
    sem_init(&semaphore, 0, 0);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
    pthread_create(&thread, &attributes, run, (void *)what);
    if (what == 5 || what == 6) {
        usleep(20000);
        pthread_cancel(thread);
    }
    pthread_join(thread, NULL);
    puts("joined");
    return 0;
}
