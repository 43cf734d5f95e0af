/* Forks twice and ends; the grandchild goes on for a while, then its threads race. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int racy;

static void *run(void *unused)
{
    racy++;
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    if (argc > 2 && setuid(65534))
        return 77;
    if (fork())
        _exit(5);
    setsid();
    if (fork())
        _exit(0);
    for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; i--)
        usleep(100000);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
