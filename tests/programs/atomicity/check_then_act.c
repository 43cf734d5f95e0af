// A slot is found free under the lock and taken under the lock, but not in one go.
// record: --blocks
// hb: none
// atomicity: reserve
// replay: reserve
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int taken;

__attribute__((noinline)) static int is_free(void)
{
    pthread_mutex_lock(&mutex);
    int answer = !taken;
    pthread_mutex_unlock(&mutex);
    return answer;
}

__attribute__((noinline)) static void take(void)
{
    pthread_mutex_lock(&mutex);
    taken++;
    pthread_mutex_unlock(&mutex);
}

__attribute__((noinline)) static void reserve(void)
{
    if (is_free())
        take();
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
