// Ordered by creation and join.
#include "steps.h"
int x;
THREAD(body)
{
    x++;
    END;
}
int main(void)
{
    x = 1;
    RUN(body);
    x++;
    RUN(body);
    return x == 4 ? 0 : 1;
}
