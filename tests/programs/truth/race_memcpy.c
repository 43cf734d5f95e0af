// A whole buffer is copied over while one element is written.
// race: A B
#include "steps.h"
MUTEX(m);
int buffer[16], source[16];
THREAD(a)
{
    memcpy(buffer, source, sizeof buffer); //@A
    PASS(m);
    END;
}
THREAD(b)
{
    SLEEP(1);
    PASS(m);
    buffer[5] = 2; //@B
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
