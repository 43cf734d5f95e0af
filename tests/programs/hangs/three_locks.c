// deadlock: A B C
#include "hang.h"
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER,
                       c = PTHREAD_MUTEX_INITIALIZER;
TAKES_THEN_WANTS(one, 3, a, b)   //@A
TAKES_THEN_WANTS(two, 3, b, c)   //@B
TAKES_THEN_WANTS(three, 3, c, a) //@C
int main(void)
{
    start(one);
    start(two);
    three(NULL);
}
