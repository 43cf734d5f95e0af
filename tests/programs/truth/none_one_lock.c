// Every access under the same lock.
#include "steps.h"
MUTEX(m);
int x;
THREAD(body)
{
    for (int i = 0; i < 10; i++) {
        LOCK(m);
        x++;
        UNLOCK(m);
    }
    END;
}
int main(void)
{
    RUN(body, body, body);
    return x == 30 ? 0 : 1;
}
