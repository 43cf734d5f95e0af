// Every thread has its own.
#include "steps.h"
static _Thread_local int mine;
THREAD(body)
{
    for (int i = 0; i < 5; i++)
        mine++;
    END;
}
int main(void)
{
    RUN(body, body, body);
    return mine;
}
