// The same with C11's mutexes.
// deadlock: A B
#include "steps.h"
mtx_t m, n;
THREAD(a)
{
    mtx_lock(&m);
    mtx_lock(&n); //@A
    mtx_unlock(&n);
    mtx_unlock(&m);
    END;
}
THREAD(b)
{
    SLEEP(1);
    mtx_lock(&n);
    mtx_lock(&m); //@B
    mtx_unlock(&m);
    mtx_unlock(&n);
    END;
}
int main(void)
{
    mtx_init(&m, mtx_plain);
    mtx_init(&n, mtx_plain);
    RUN(a, b);
    return 0;
}
