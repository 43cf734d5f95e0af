// The flag is looked at, for a statistic alone: what comes after does not depend on it. In the
// recorded run the flag was set already, and its load orders the two accesses.
// race: A B
#include "steps.h"
atomic_int ready;
int data, hits;
THREAD(maker)
{
    data = 42; //@A
    atomic_store(&ready, 1);
    END;
}
THREAD(user)
{
    SLEEP(1);
    hits += atomic_load(&ready);
    hits += data; //@B
    END;
}
int main(void)
{
    RUN(maker, user);
    return hits ? 0 : 1;
}
