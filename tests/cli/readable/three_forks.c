// three philosophers; started one after another so it never deadlocks in practice
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t fork_[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                   PTHREAD_MUTEX_INITIALIZER};
static void *eat(void *a)
{
    long i = (long)a;
    usleep(20000 * i);
    pthread_mutex_lock(&fork_[i]);
    pthread_mutex_lock(&fork_[(i + 1) % 3]);
    pthread_mutex_unlock(&fork_[(i + 1) % 3]);
    pthread_mutex_unlock(&fork_[i]);
    return 0;
}
int main(void)
{
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], 0, eat, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    puts("all ate");
}
