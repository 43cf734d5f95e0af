/* Each thread makes its number from its neighbour's, and thinks that it comes after it. -DRIGHT: it
 * waits for it. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t passed = PTHREAD_COND_INITIALIZER;
static int number[3];
static int turn;

static void make(int own, int neighbour)
{
    pthread_mutex_lock(&lock);
#ifdef RIGHT
    while (turn != own)
        pthread_cond_wait(&passed, &lock);
#endif
    number[own] = own ? number[neighbour] + 1 : 1;
    turn++;
    pthread_cond_broadcast(&passed);
    pthread_mutex_unlock(&lock);
}

static void *first(void *argument)
{
    make(0, 2);
    return argument;
}

static void *second(void *argument)
{
    make(1, 0);
    return argument;
}

static void *third(void *argument)
{
    make(2, 1);
    return argument;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_create(&threads[2], NULL, third, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(number[2] == number[1] + 1 && number[1] == number[0] + 1);
    return 0;
}
