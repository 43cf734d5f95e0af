// The harmless twin of check_then_act: found free and taken in one section.
// record: --blocks
// hb: none
// atomicity: none
// replay: none
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int taken;

__attribute__((noinline)) static void reserve(void)
{
    pthread_mutex_lock(&mutex);
    if (!taken)
        taken++;
    pthread_mutex_unlock(&mutex);
}

static void *run(void *unused)
{
    reserve();
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    reserve();
    pthread_join(thread, NULL);
    return 0;
}
