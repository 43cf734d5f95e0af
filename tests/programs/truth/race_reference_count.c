// The count is atomic; one user touches the object after it has given its reference back.
// race: A B
#include "steps.h"
atomic_int references = 2;
int object;
THREAD(a)
{
    SLEEP(1);
    atomic_fetch_sub(&references, 1);
    object = 1; //@A
    END;
}
THREAD(b)
{
    SLEEP(2);
    if (atomic_fetch_sub(&references, 1) == 1)
        object = 0; //@B
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
