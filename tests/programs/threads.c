// Many short threads, detached ones, one that never ends, exit while others run.
// expect: fork(T0.1)
// expect: fork(T0.1.1)
// expect: join(T0.1)
// hb: none
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>
#include <unistd.h>

static pthread_key_t key;
static int destroyed[4];

static void *leaf(void *argument)
{
    return argument;
}

static void *branch(void *unused)
{
    pthread_t thread;
    pthread_create(&thread, NULL, leaf, NULL);
    pthread_join(thread, NULL);
    return unused;
}

static void destroy(void *value)
{
    *(int *)value = 1;
}

static void *specific(void *value)
{
    pthread_setspecific(key, value);
    pthread_exit(value);
}

static void *forever(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static int c11(void *argument)
{
    return *(int *)argument;
}

int main(void)
{
    pthread_t thread;
    thrd_t c;
    int seven = 7, result;
    pthread_create(&thread, NULL, branch, NULL);
    pthread_join(thread, NULL);
    for (int i = 0; i < 2000; i++) {
        pthread_create(&thread, NULL, leaf, NULL);
        if (i % 2)
            pthread_detach(thread);
        else
            pthread_join(thread, NULL);
    }
    pthread_key_create(&key, destroy);
    pthread_create(&thread, NULL, specific, &destroyed[1]);
    pthread_join(thread, NULL);
    thrd_create(&c, c11, &seven);
    thrd_join(c, &result);
    pthread_create(&thread, NULL, forever, NULL);
    exit(destroyed[1] == 1 && result == 7 ? 0 : 1);
}
