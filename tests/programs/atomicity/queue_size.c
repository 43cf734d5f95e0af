// The size is asked, then an item popped: the queue may be empty by then.
// record: --blocks
// hb: none
// atomicity: pop_if_any
// replay: pop_if_any
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int queue[4] = {1, 2, 3, 4}, count = 1;

__attribute__((noinline)) static int size(void)
{
    pthread_mutex_lock(&mutex);
    int answer = count;
    pthread_mutex_unlock(&mutex);
    return answer;
}

__attribute__((noinline)) static int pop(void)
{
    pthread_mutex_lock(&mutex);
    int item = count ? queue[--count] : 0;
    pthread_mutex_unlock(&mutex);
    return item;
}

__attribute__((noinline)) static int pop_if_any(void)
{
    return size() ? pop() : 0;
}

static void *run(void *unused)
{
    pop_if_any();
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pop_if_any();
    pthread_join(thread, NULL);
    return 0;
}
