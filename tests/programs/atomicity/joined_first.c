// The culprit has ended before the block begins: two sections, and nobody to come in between.
// record: --blocks
// hb: none
// atomicity: none
// replay: none
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int value;

__attribute__((noinline)) static void add(int amount)
{
    pthread_mutex_lock(&mutex);
    value += amount;
    pthread_mutex_unlock(&mutex);
}

__attribute__((noinline)) static void add_twice(void)
{
    add(1);
    add(2);
}

static void *run(void *unused)
{
    add(5);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    add_twice();
    return 0;
}
