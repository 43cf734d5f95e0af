// The main thread ends before the program does, and another one waits for it.
// expect: join(T0)
// hb: none
#include <pthread.h>

static pthread_t first;
static int result;

static void *rest(void *unused)
{
    if (pthread_join(first, NULL))
        return unused;
    result++;
    return unused;
}

int main(void)
{
    pthread_t thread;
    first = pthread_self();
    pthread_create(&thread, NULL, rest, NULL);
    result = 1;
    pthread_exit(NULL);
}
