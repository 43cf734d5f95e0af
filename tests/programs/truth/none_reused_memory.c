// A block is freed under the lock and its memory becomes somebody else's.
#include "steps.h"
MUTEX(m);
THREAD(body)
{
    for (int i = 0; i < 20; i++) {
        LOCK(m);
        int *block = malloc(64);
        UNLOCK(m);
        block[0] = i;
        LOCK(m);
        free(block);
        UNLOCK(m);
    }
    END;
}
int main(void)
{
    RUN(body, body);
    return 0;
}
