// A lock inside a once-routine happens to order the two writes.
// race: A B
#include "steps.h"
MUTEX(m);
pthread_once_t once = PTHREAD_ONCE_INIT;
int x;
static void routine(void)
{
    PASS(m);
}
THREAD(a)
{
    x = 1; //@A
    pthread_once(&once, routine);
    END;
}
THREAD(b)
{
    SLEEP(1);
    PASS(m);
    x = 2; //@B
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
