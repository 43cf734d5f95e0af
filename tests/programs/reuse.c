// Memory that is freed and allocated again, and stacks of ended threads, are new
// objects: nothing here is shared but what the queue hands over.
// never: w(
// never: r(
// hb: none
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *run(void *unused)
{
    int local[64];
    for (int i = 0; i < 64; i++)
        local[i] = i;
    for (int i = 0; i < 100; i++) {
        char *block = malloc(48);
        memset(block, local[i % 64], 48);
        free(block);
    }
    return unused;
}

int main(void)
{
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, run, NULL);
        run(NULL);
        pthread_join(thread, NULL);
    }
    return 0;
}
