/* Threads that allocate, for whichever allocator is in charge. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *run(void *unused)
{
    for (int i = 0; i < 2000; i++) {
        char *block = malloc((size_t)i % 500 + 1);
        block[0] = 1;
        free(block);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    puts("allocated");
    return 0;
}
