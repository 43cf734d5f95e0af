/* One stage sets a value under one lock and what follows from it under another; who reads the first
 * expects the second. Usage: two_stages [N]. -DRIGHT: both under one lock. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { MOST = 128 };

static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second_lock = PTHREAD_MUTEX_INITIALIZER;
static int first, second;

static void pass_on(void)
{
#ifndef RIGHT
    pthread_mutex_unlock(&first_lock);
#endif
    pthread_mutex_lock(&second_lock);
}

static void done(void)
{
    pthread_mutex_unlock(&second_lock);
#ifdef RIGHT
    pthread_mutex_unlock(&first_lock);
#endif
}

static void *set(void *argument)
{
    pthread_mutex_lock(&first_lock);
    first = 1;
    pass_on();
    second = 2;
    done();
    return argument;
}

static void *check(void *argument)
{
    pthread_mutex_lock(&first_lock);
    int seen = first;
    pass_on();
    int follows = second;
    done();
    assert(!seen || follows == seen + 1);
    return argument;
}

int main(int count, char **words)
{
    int threads = count > 1 ? atoi(words[1]) : 2;
    pthread_t all[MOST];
    assert(threads > 1 && threads <= MOST);
    for (int i = 0; i < threads; i++)
        pthread_create(&all[i], NULL, i == threads - 1 ? check : set, NULL);
    for (int i = 0; i < threads; i++)
        pthread_join(all[i], NULL);
    return 0;
}
