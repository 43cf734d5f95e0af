// A correct queue, and statistics that one worker updates outside the lock.
// race: A B
#include "steps.h"
MUTEX(m);
int tasks = 8, done;
THREAD(careful)
{
    for (;;) {
        LOCK(m);
        if (!tasks) {
            UNLOCK(m);
            END;
        }
        tasks--;
        done++; //@A
        UNLOCK(m);
        SLEEP(1);
    }
}
THREAD(careless)
{
    SLEEP(10);
    PASS(m);
    done++; //@B
    END;
}
int main(void)
{
    RUN(careful, careless);
    return 0;
}
