// An object whose last user, by an atomic count, frees it.
#include "steps.h"
struct object {
    atomic_int users;
    int a, b;
} * object;
static void leave(void)
{
    if (atomic_fetch_sub_explicit(&object->users, 1, memory_order_acq_rel) == 1)
        free(object);
}
THREAD(first)
{
    object->a = 1;
    leave();
    END;
}
THREAD(second)
{
    SLEEP(1);
    object->b = 1;
    leave();
    END;
}
int main(void)
{
    object = calloc(1, sizeof *object);
    object->users = 2;
    RUN(first, second);
    return 0;
}
