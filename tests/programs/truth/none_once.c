// Initialised by whoever comes first.
#include "steps.h"
pthread_once_t once = PTHREAD_ONCE_INIT;
int value;
static void initialise(void)
{
    value = 42;
}
THREAD(body)
{
    pthread_once(&once, initialise);
    int seen = value;
    (void)seen;
    END;
}
int main(void)
{
    RUN(body, body, body);
    return value == 42 ? 0 : 1;
}
