// One byte of a word that the threads otherwise share peacefully.
// race: A B
#include "steps.h"
MUTEX(m);
char word[8];
THREAD(a)
{
    word[0] = 1;
    word[3] = 1; //@A
    PASS(m);
    END;
}
THREAD(b)
{
    SLEEP(1);
    PASS(m);
    word[7] = 2;
    word[3] = 2; //@B
    END;
}
int main(void)
{
    RUN(a, b);
    return 0;
}
