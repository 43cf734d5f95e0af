// deadlock: A B
// ends: 7
// Two threads are stuck; the program ends without them.
#include "../patience.h"
#include "hang.h"
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
TAKES_THEN_WANTS(one, 3, a, b) //@A
TAKES_THEN_WANTS(two, 3, b, a) //@B
int main(void)
{
    start(one);
    start(two);
    meet(3);
    usleep(900000);
    return 7;
}
