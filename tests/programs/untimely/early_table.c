// A table is filled after the thread that looks things up in it was started. The right twin's
// thread makes up for what it does not find.
// untimely: table[3]
#include "../patience.h"
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int table[4];

static int square(int number)
{
    pthread_mutex_lock(&mutex);
    int found = table[number];
    pthread_mutex_unlock(&mutex);
#ifdef RIGHT
    if (!found)
        found = number * number;
#endif
    return found;
}

static void *run(void *unused)
{
    usleep(20000);
    printf("%d\n", square(3));
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < 4; i++)
        table[i] = i * i;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
