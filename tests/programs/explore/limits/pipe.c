/* Which thread writes to the pipe first decides. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static int e[2];
static void *put(void *a)
{
    return write(e[1], a, 1) == 1 ? 0 : a;
}
int main(void)
{
    pthread_t t[2];
    char b[2];
    if (pipe(e))
        return 1;
    pthread_create(&t[0], 0, put, "a");
    pthread_create(&t[1], 0, put, "b");
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    if (read(e[0], b, 2) == 2 && b[0] == 'b')
        abort();
    return 0;
}
