/* Each of two threads may return 1, and no run has to show both: the results are joined. -DRIGHT:
 * that is no failure. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
static _Atomic int x, y;
static void *t1(void *a)
{
    (void)a;
    return (void *)(intptr_t)x;
}
static void *t2(void *a)
{
    (void)a;
    return (void *)(intptr_t)y;
}
static void *s1(void *a)
{
    x = 1;
    return a;
}
static void *s2(void *a)
{
    y = 1;
    return a;
}
int main(void)
{
    pthread_t t[4];
    void *r1, *r2;
    pthread_create(&t[0], 0, t1, 0);
    pthread_create(&t[1], 0, t2, 0);
    pthread_create(&t[2], 0, s1, 0);
    pthread_create(&t[3], 0, s2, 0);
    pthread_join(t[0], &r1);
    pthread_join(t[1], &r2);
    pthread_join(t[2], 0);
    pthread_join(t[3], 0);
#ifndef RIGHT
    assert(!(r1 && r2));
#endif
    return 0;
}
