// Neighbours exchange roles between the phases of a barrier.
#include "steps.h"
pthread_barrier_t phase;
int left, right;
THREAD(a)
{
    left = 1;
    pthread_barrier_wait(&phase);
    right++;
    pthread_barrier_wait(&phase);
    left++;
    END;
}
THREAD(b)
{
    right = 1;
    pthread_barrier_wait(&phase);
    left++;
    pthread_barrier_wait(&phase);
    right++;
    END;
}
int main(void)
{
    pthread_barrier_init(&phase, NULL, 2);
    RUN(a, b);
    return left == 3 && right == 3 ? 0 : 1;
}
