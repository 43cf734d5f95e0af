// Waits that did not happen, as the predicate held already: the order is there all the same.
// expect: oncepass(ready:signal:1)
// expect: oncepass(outside:signal:1)
// count 1: oncepass(full:signal
// hb: none
// sync: none
#include <pthread.h>
#include <preplay/preplay.h>
#include <semaphore.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t ready = PTHREAD_COND_INITIALIZER, outside = PTHREAD_COND_INITIALIZER;
pthread_cond_t full = PTHREAD_COND_INITIALIZER;
int flag, late_flag, items, data, late_data;
static sem_t waits, done;

/* Makes this run go one way, unseen by the recorder. */
static void pass_turn(sem_t *turn)
{
    preplay_ignore_begin();
    sem_post(turn);
    preplay_ignore_end();
}

static void wait_turn(sem_t *turn)
{
    preplay_ignore_begin();
    sem_wait(turn);
    preplay_ignore_end();
}

static void *setter(void *unused)
{
    data = 1;
    pthread_mutex_lock(&mutex);
    flag = 1;
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&mutex);

    late_data = 1;
    pthread_mutex_lock(&mutex);
    late_flag = 1;
    pthread_mutex_unlock(&mutex);
    pthread_cond_broadcast(&outside);

    /* A third thread waits for this one in earnest: its loop is known, and only its
     * predicate counts. */
    wait_turn(&waits);
    pthread_mutex_lock(&mutex);
    items = 1;
    pthread_cond_broadcast(&full);
    pthread_mutex_unlock(&mutex);
    pass_turn(&done);
    return unused;
}

static void wait_for_items(void)
{
    pthread_mutex_lock(&mutex);
    while (!items) {
        pass_turn(&waits);
        pthread_cond_wait(&full, &mutex);
    }
    pthread_mutex_unlock(&mutex);
}

static void *waiter(void *unused)
{
    wait_for_items();
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    sem_init(&waits, 0, 0);
    sem_init(&done, 0, 0);
    pthread_create(&threads[0], NULL, setter, NULL);
    pthread_create(&threads[1], NULL, waiter, NULL);
    wait_turn(&done);
    pthread_mutex_lock(&mutex);
    while (!flag)
        pthread_cond_wait(&ready, &mutex);
    data++;
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    while (!late_flag)
        pthread_cond_wait(&outside, &mutex);
    pthread_mutex_unlock(&mutex);
    late_data++;
    wait_for_items(); /* skipped: the code was seen to wait */
    pthread_mutex_lock(&mutex);
    items += 2; /* reads it too, and is no wait */
    pthread_mutex_unlock(&mutex);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return data + late_data + items == 7 ? 0 : 1;
}
