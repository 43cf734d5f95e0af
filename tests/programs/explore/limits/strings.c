/* The text is "bad" between two writes, and only the C library reads it. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static char name[16] = "good";
static char *volatile p = name;
static void *set(void *a)
{
    name[0] = 'b';
    name[1] = 'a';
    name[2] = 'd';
    name[3] = 0;
    name[0] = 'g';
    return a;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, set, 0);
    if (strcmp(p, "bad") == 0)
        abort();
    pthread_join(t, 0);
    return 0;
}
