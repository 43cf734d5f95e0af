// deadlock: A
// The third party has ended without coming.
#include "hang.h"
static pthread_barrier_t barrier;
static void *come(void *unused)
{
    pthread_barrier_wait(&barrier); //@A
    return unused;
}
int main(void)
{
    pthread_barrier_init(&barrier, NULL, 3);
    pthread_t first = start(come), second = start(come);
    finish(first);
    finish(second);
}
