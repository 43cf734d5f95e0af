// A function that waits for its partner is not meant to be atomic.
// record: --blocks
// hb: none
// atomicity: none
// replay: none
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
int item;

__attribute__((noinline)) static int receive(void)
{
    pthread_mutex_lock(&mutex);
    while (!item)
        pthread_cond_wait(&filled, &mutex);
    int got = item;
    pthread_mutex_unlock(&mutex);
    return got;
}

__attribute__((noinline)) static void send(int what)
{
    pthread_mutex_lock(&mutex);
    item = what;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&mutex);
}

static void *run(void *unused)
{
    receive();
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    send(1);
    pthread_join(thread, NULL);
    return 0;
}
