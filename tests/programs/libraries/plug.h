/* What a library does with threads of its own. */
#include "zoo.h"

#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int counter, ready;

static void *count(void *unused)
{
    for (int i = 0; i < 3; i++) {
        if (!wrong)
            pthread_mutex_lock(&mutex);
        counter++;
        if (!wrong)
            pthread_mutex_unlock(&mutex);
    }
    return unused;
}

static void *signal_it(void *unused)
{
    counter = 5;
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    if (wrong)
        counter = 6;
    return unused;
}

static void *wait_for_it(void *unused)
{
    pthread_mutex_lock(&mutex);
    while (!ready)
        pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    ZOO_SEES(counter == 5);
    return unused;
}

static void *post(void *unused)
{
    counter = 5;
    sem_post(&semaphore);
    if (wrong)
        counter = 6;
    return unused;
}

static void *take(void *unused)
{
    sem_wait(&semaphore);
    ZOO_SEES(counter == 5);
    return unused;
}

static void by_two(void *(*first)(void *), void *(*second)(void *))
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}

static void locks(void)
{
    by_two(count, count);
    ZOO_SEES(counter == 6);
}

static void conditions(void)
{
    by_two(wait_for_it, signal_it);
}

static void semaphores(void)
{
    sem_init(&semaphore, 0, 0);
    by_two(take, post);
}

int plug(int argc, char **argv);
int plug(int argc, char **argv)
{
    static const struct zoo_case cases[] = {
        {"locks", locks}, {"conditions", conditions}, {"semaphores", semaphores}};
    return zoo_run(cases, sizeof cases / sizeof *cases, argc, argv);
}
