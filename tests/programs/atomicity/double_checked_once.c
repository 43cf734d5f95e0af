// The harmless twin of double_checked_lookup: filled once, by whoever comes first.
// record: --blocks
// hb: none
// atomicity: none
// replay: none
#include <pthread.h>

pthread_once_t once = PTHREAD_ONCE_INIT;
int cached;

static void fill(void)
{
    cached = 42;
}

__attribute__((noinline)) static int lookup(void)
{
    pthread_once(&once, fill);
    return cached;
}

static void *run(void *unused)
{
    lookup();
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    lookup();
    pthread_join(thread, NULL);
    return 0;
}
