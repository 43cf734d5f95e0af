// case posted: use-destroyed observed destroy post
// case waited: use-destroyed observed destroy_tried try
// case posts: use-destroyed confirmed destroy_early helped
// case signal: use-destroyed confirmed destroy_condition signal
// case broadcast: use-destroyed confirmed destroy_condition broadcast
// case posts_awaited: nothing
// case anew: nothing
// case inside: nothing
// case joined: nothing
// case made_again: nothing
// Semaphores and condition variables that are posted or signalled after they were destroyed: as it
// happened, or if the thread is late.
#include "../patience.h"

#include <pthread.h>
#include <semaphore.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int ready;
static const char *name = "joined";

static int is(const char *other)
{
    return strcmp(name, other) == 0;
}

static void *poster(void *unused)
{
    usleep(20000);
    sem_post(&semaphore); //@post
    return unused;
}

static void *helper(void *unused)
{
    sem_post(&semaphore); //@helped
    return unused;
}

/* Who sees `ready` may destroy the condition variable: only inside the section is it still there.
 */
static void *setter(void *unused)
{
    pthread_mutex_lock(&lock);
    ready = 1;
    if (is("inside"))
        pthread_cond_signal(&condition);
    pthread_mutex_unlock(&lock);
    if (is("signal") || is("joined") || is("made_again"))
        pthread_cond_signal(&condition); //@signal
    if (is("broadcast"))
        pthread_cond_broadcast(&condition); //@broadcast
    return unused;
}

static int destroy_before_post(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, poster, NULL);
    usleep(10000);
    sem_destroy(&semaphore); //@destroy
    if (is("anew"))
        sem_init(&semaphore, 0, 0);
    return pthread_join(thread, NULL);
}

static int destroy_before_wait(void)
{
    sem_destroy(&semaphore); //@destroy_tried
    sem_trywait(&semaphore); //@try
    return 0;
}

/* One post is enough for one wait, whoever posts the other. */
static int take_posts(int posts)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, helper, NULL);
    pthread_create(&threads[1], NULL, helper, NULL);
    usleep(100000);
    for (int i = 0; i < posts; i++)
        sem_wait(&semaphore);
    sem_destroy(&semaphore); //@destroy_early
    pthread_join(threads[0], NULL);
    return pthread_join(threads[1], NULL);
}

static int wait_for_setter(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, setter, NULL);
    usleep(100000);
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&condition, &lock);
    pthread_mutex_unlock(&lock);
    if (is("joined") || is("made_again"))
        pthread_join(thread, NULL);
    pthread_cond_destroy(&condition); //@destroy_condition
    if (is("made_again")) {
        condition = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
        pthread_cond_signal(&condition);
    }
    return is("joined") || is("made_again") ? 0 : pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        name = argv[1];
    sem_init(&semaphore, 0, 0);
    if (is("posted") || is("anew"))
        return destroy_before_post();
    if (is("waited"))
        return destroy_before_wait();
    if (is("posts") || is("posts_awaited"))
        return take_posts(is("posts") ? 1 : 2);
    return wait_for_setter();
}
