// The twin: whoever waits for the once-routine holds nothing.
#include "steps.h"
MUTEX(m);
pthread_once_t once = PTHREAD_ONCE_INIT;
static void routine(void)
{
    PASS(m);
}
THREAD(a)
{
    pthread_once(&once, routine);
    END;
}
THREAD(b)
{
    SLEEP(1);
    pthread_once(&once, routine);
    PASS(m);
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
