/* Writes to the file that argv[1] names, if it does, becomes nobody, and has a race that waits for
 * another schedule. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { NOBODY = 65534 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int found;

static void *other(void *unused)
{
    found = 1;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(int count, char **words)
{
    pthread_t thread;
    FILE *file = count > 1 ? fopen(words[1], "w") : NULL;
    if (file)
        fclose(file);
    if (setgid(NOBODY) || setuid(NOBODY) || geteuid() != NOBODY)
        abort();
    pthread_create(&thread, NULL, other, NULL);
    usleep(100000);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    printf("%d\n", found);
    return pthread_join(thread, NULL);
}
