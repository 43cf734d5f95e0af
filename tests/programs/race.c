// The plain race.
// expect: w(counter)
// hb: race counter
#include <pthread.h>

int counter;

static void *run(void *unused)
{
    counter++;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
