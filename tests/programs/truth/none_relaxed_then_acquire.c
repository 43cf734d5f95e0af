// A relaxed load sees the flag first; the acquire after it is what orders.
#include "steps.h"
atomic_int ready;
int x;
THREAD(a)
{
    SLEEP(1);
    x = 1;
    atomic_store_explicit(&ready, 1, memory_order_release);
    END;
}
THREAD(b)
{
    while (!atomic_load_explicit(&ready, memory_order_relaxed))
        usleep(100);
    (void)atomic_load_explicit(&ready, memory_order_acquire);
    x = 2;
    END;
}
int main(void)
{
    RUN(a, b);
    return x == 2 ? 0 : 1;
}
