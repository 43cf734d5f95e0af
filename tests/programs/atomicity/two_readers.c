// The harmless kind of window: both sections only read, and so do all others.
// hb: none
// atomicity: none
// replay: none
#include <preplay/preplay.h>
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int limit = 3, sum[2];

static int get(void)
{
    pthread_rwlock_rdlock(&lock);
    int answer = limit;
    pthread_rwlock_unlock(&lock);
    return answer;
}

static void *run(void *slot)
{
    preplay_block_begin("twice");
    *(int *)slot = get() + get();
    preplay_block_end("twice");
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, &sum[0]);
    run(&sum[1]);
    pthread_join(thread, NULL);
    return 0;
}
