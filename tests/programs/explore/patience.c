/* Somebody waits for an answer with a time limit, and takes silence for a yes. -DRIGHT: for a no.
 * The sleep orders nothing. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t answered = PTHREAD_COND_INITIALIZER;
static bool answer;

static void *ask(void *argument)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 3600;
    pthread_mutex_lock(&lock);
    int result = 0;
    while (!answer && result != ETIMEDOUT)
        result = pthread_cond_timedwait(&answered, &lock, &until);
#ifndef RIGHT
    assert(answer);
#endif
    pthread_mutex_unlock(&lock);
    return argument;
}

static void *reply(void *argument)
{
    sleep(1800);
    pthread_mutex_lock(&lock);
    answer = true;
    pthread_cond_signal(&answered);
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, ask, NULL);
    pthread_create(&threads[1], NULL, reply, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
