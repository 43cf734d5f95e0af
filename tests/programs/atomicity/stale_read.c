// A total is made of two reads, each under the lock, with a transfer in between.
// hb: none
// atomicity: sum
// note: blame sum (functions main/total)
// replay: sum
// sound: sum
#include "../patience.h"
#include <preplay/preplay.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int checking = 50, savings = 50, sum;

static int get(const int *account)
{
    pthread_mutex_lock(&mutex);
    int amount = *account;
    pthread_mutex_unlock(&mutex);
    return amount;
}

static void *transfer(void *unused)
{
    usleep(20000); /* late in the recorded run */
    pthread_mutex_lock(&mutex);
    checking = 40;
    savings = 60;
    pthread_mutex_unlock(&mutex);
    return unused;
}

__attribute__((noinline)) static void total(void)
{
    preplay_block_begin("sum");
    sum = get(&checking) + get(&savings);
    preplay_block_end("sum");
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, transfer, NULL);
    total();
    pthread_join(thread, NULL);
    return 0;
}
