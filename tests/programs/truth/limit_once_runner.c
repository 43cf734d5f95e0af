// x is written before the once-routine. Had b come first, b would have run the
// routine: another path, which the recorded run does not show.
#include "steps.h"
pthread_once_t once = PTHREAD_ONCE_INIT;
int x;
static void nothing(void)
{
}
THREAD(a)
{
    x = 1;
    pthread_once(&once, nothing);
    END;
}
THREAD(b)
{
    SLEEP(1);
    pthread_once(&once, nothing);
    x = 2;
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
