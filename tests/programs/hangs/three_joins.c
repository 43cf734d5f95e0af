// deadlock: A B C
// Two threads that join each other are refused by the C library; three are not.
#include "hang.h"
static pthread_t threads[3];
static pthread_barrier_t known;
static void *one(void *unused)
{
    pthread_barrier_wait(&known);
    pthread_join(threads[1], NULL); //@A
    return unused;
}
static void *two(void *unused)
{
    pthread_barrier_wait(&known);
    pthread_join(threads[2], NULL); //@B
    return unused;
}
static void *three(void *unused)
{
    pthread_barrier_wait(&known);
    pthread_join(threads[0], NULL); //@C
    return unused;
}
int main(void)
{
    pthread_barrier_init(&known, NULL, 4);
    threads[0] = start(one);
    threads[1] = start(two);
    threads[2] = start(three);
    pthread_barrier_wait(&known);
    pthread_exit(NULL);
}
