// Neighbouring bytes of one word, a thread each.
#include "steps.h"
char word[8];
THREAD(a)
{
    word[3] = 1;
    END;
}
THREAD(b)
{
    word[4] = 2;
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
