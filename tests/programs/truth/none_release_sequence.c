// Two threads leave their part before they count down; whoever is last reads both.
#include "steps.h"
atomic_int left = 2;
int part[2], sum;
static void done(int mine)
{
    part[mine] = mine + 1;
    if (atomic_fetch_sub_explicit(&left, 1, memory_order_acq_rel) == 1)
        sum = part[0] + part[1];
}
THREAD(a)
{
    done(0);
    END;
}
THREAD(b)
{
    SLEEP(1);
    done(1);
    END;
}
int main(void)
{
    RUN(a, b);
    return sum != 3;
}
