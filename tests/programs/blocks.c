// Annotated atomic blocks.
// expect: begin(transfer)
// expect: end(transfer)
// hb: none
#include <preplay/preplay.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int money[2] = {10, 10};

static void *run(void *unused)
{
    preplay_block_begin("transfer");
    pthread_mutex_lock(&mutex);
    money[0]--;
    money[1]++;
    pthread_mutex_unlock(&mutex);
    preplay_block_end("transfer");
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    run(NULL);
    pthread_join(thread, NULL);
    return 0;
}
