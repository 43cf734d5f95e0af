// Double-checked initialisation as it should be.
#include "steps.h"
MUTEX(m);
atomic_int ready;
int value, sum;
static int get(void)
{
    if (!atomic_load_explicit(&ready, memory_order_acquire)) {
        LOCK(m);
        if (!atomic_load_explicit(&ready, memory_order_relaxed)) {
            value = 42;
            atomic_store_explicit(&ready, 1, memory_order_release);
        }
        UNLOCK(m);
    }
    return value;
}
THREAD(first)
{
    get();
    END;
}
THREAD(second)
{
    SLEEP(1);
    sum = get() + get();
    END;
}
int main(void)
{
    RUN(first, second);
    return sum == 84 ? 0 : 1;
}
