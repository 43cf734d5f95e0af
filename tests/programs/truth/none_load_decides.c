// The twin of race_load_decides_nothing: who finds the flag unset does without the data.
#include "steps.h"
atomic_int ready;
int data, hits;
THREAD(maker)
{
    data = 42;
    atomic_store(&ready, 1);
    END;
}
THREAD(user)
{
    SLEEP(1);
    if (atomic_load(&ready))
        hits += data;
    END;
}
int main(void)
{
    RUN(maker, user);
    return hits < 0; /* whoever comes first: an exit code that depends on it would be a failure */
}
