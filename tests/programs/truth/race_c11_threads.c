// C11's threads and mutexes.
// race: A B
#include "steps.h"
mtx_t m;
int x;
static int a(void *unused)
{
    (void)unused;
    x = 1; //@A
    mtx_lock(&m);
    mtx_unlock(&m);
    return 0;
}
static int b(void *unused)
{
    (void)unused;
    SLEEP(1);
    mtx_lock(&m);
    mtx_unlock(&m);
    x = 2; //@B
    return 0;
}
int main(void)
{
    thrd_t first, second;
    mtx_init(&m, mtx_plain);
    thrd_create(&first, a, NULL);
    thrd_create(&second, b, NULL);
    thrd_join(first, NULL);
    thrd_join(second, NULL);
    return 0;
}
