// Waits, time-outs, a broadcast, and a wait that is cancelled.
// expect: wait(condition,mutex)
// expect: woken(condition,mutex)
// expect: notify(condition)
// expect: notifyall(condition)
// hb: none
// odd: unwinding a cancelled thread takes a once of its own in the middle of the wait
#include <errno.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER, never = PTHREAD_COND_INITIALIZER;
int ready, waiting;

static void *waiter(void *unused)
{
    pthread_mutex_lock(&mutex);
    waiting++;
    while (!ready)
        pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void unlock(void *unused)
{
    (void)unused;
    pthread_mutex_unlock(&mutex);
}

static void *cancelled(void *unused)
{
    pthread_mutex_lock(&mutex);
    waiting++;
    pthread_cleanup_push(unlock, NULL);
    for (;;)
        pthread_cond_wait(&never, &mutex);
    pthread_cleanup_pop(1);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    struct timespec past = {1, 0};
    pthread_create(&threads[0], NULL, waiter, NULL);
    pthread_create(&threads[1], NULL, cancelled, NULL);
    for (int all = 0; !all;) {
        pthread_mutex_lock(&mutex);
        all = waiting == 2;
        if (all) {
            ready = 1;
            if (pthread_cond_timedwait(&never, &mutex, &past) != ETIMEDOUT)
                return 1;
            pthread_cond_signal(&condition);
            pthread_cond_broadcast(&condition);
        }
        pthread_mutex_unlock(&mutex);
        usleep(1000);
    }
    pthread_cancel(threads[1]);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return 0;
}
