// A mutex that is unlocked by another thread is a semaphore; nothing breaks.
// expect: semwait(gate)
// expect: post(gate)
// never: acq(gate)
#include <pthread.h>

pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
int data;

static void *opener(void *unused)
{
    data = 1;
    pthread_mutex_unlock(&gate);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_mutex_lock(&gate);
    pthread_create(&thread, NULL, opener, NULL);
    pthread_mutex_lock(&gate);
    int seen = data;
    pthread_mutex_unlock(&gate);
    pthread_join(thread, NULL);
    return seen == 1 ? 0 : 1;
}
