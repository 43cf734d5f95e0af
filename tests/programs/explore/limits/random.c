/* Who asks for a random number first decides. */
#include <pthread.h>
#include <stdlib.h>
static _Atomic int first;
static void *put(void *a)
{
    int r = rand();
    if (*(char *)a == 'a')
        first = r;
    return 0;
}
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], 0, put, "a");
    pthread_create(&t[1], 0, put, "b");
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    srand(1);
    if (first != rand())
        abort();
    return 0;
}
