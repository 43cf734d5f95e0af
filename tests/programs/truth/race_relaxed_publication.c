// Publication through an atomic, but relaxed: nothing orders what was written before it.
// There is no other order to show, since the reader spins until the write is over; the
// two accesses race all the same, in the recorded run and in every replay of it.
// race: A B
#include "steps.h"
atomic_int ready;
int x;
THREAD(a)
{
    x = 1; //@A
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    END;
}
THREAD(b)
{
    while (!atomic_load_explicit(&ready, memory_order_relaxed))
        usleep(1000);
    if (x) //@B
        usleep(1);
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
