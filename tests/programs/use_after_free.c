// A free that is not ordered with another thread's access.
// hb: race
#include <pthread.h>
#include <stdlib.h>

static int *block;

static void *run(void *unused)
{
    *block = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    block = malloc(sizeof *block);
    pthread_create(&thread, NULL, run, NULL);
    for (volatile int i = 0; i < 100000; i++)
        ;
    free(block);
    pthread_join(thread, NULL);
    return 0;
}
