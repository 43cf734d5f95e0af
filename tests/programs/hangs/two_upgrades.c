// deadlock: A
// Each reader wants to write, and waits for itself already: one finding, for it is one place.
#include "hang.h"
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static void *upgrade(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    meet(2);
    pthread_rwlock_wrlock(&lock); //@A
    return unused;
}
int main(void)
{
    pthread_t first = start(upgrade), second = start(upgrade);
    finish(first);
    finish(second);
}
