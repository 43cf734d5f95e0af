/* A signal in the middle decides. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static volatile _Atomic int x, y;
static void hit(int n)
{
    (void)n;
    if (x == 1)
        abort();
}
static void *put(void *a)
{
    x = 1;
    x = 2;
    return a;
}
int main(void)
{
    pthread_t t;
    signal(SIGALRM, hit);
    alarm(1);
    pthread_create(&t, 0, put, 0);
    y = x;
    pthread_join(t, 0);
    return 0;
}
