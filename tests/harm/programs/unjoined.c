/* main() returns without waiting for its threads. With an argument they never come to an end. */
#include <pthread.h>

static int racy;
static volatile int for_ever;

static void *run(void *unused)
{
    racy++;
    while (for_ever)
        ;
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    (void)argv;
    for_ever = argc > 1;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    return argc > 1 ? 9 : 0;
}
