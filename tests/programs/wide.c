// 16-byte accesses, unaligned ones, and a struct that is accessed whole and in part.
// expect: w(pair.second)
// hb: race pair
#include <pthread.h>
#include <string.h>

struct pair {
    long first, second;
} pair;
struct __attribute__((packed)) odd {
    char skew;
    long value;
} odd;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *unused)
{
    struct pair both = {1, 2};
    pair = both;
    pthread_mutex_lock(&mutex);
    odd.value++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pair.second = 5;
    pthread_mutex_lock(&mutex);
    odd.value++;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return pair.first == 1 ? 0 : 1;
}
