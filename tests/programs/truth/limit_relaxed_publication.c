// Publication through an atomic, but relaxed: nothing orders what was written before it.
// The recorded run has the race already (predict -e hb: observed); there is no other
// order to replay, since the reader spins until the write is over.
#include "steps.h"
atomic_int ready;
int x;
THREAD(a)
{
    x = 1;
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    END;
}
THREAD(b)
{
    while (!atomic_load_explicit(&ready, memory_order_relaxed))
        usleep(1000);
    if (x)
        usleep(1);
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
