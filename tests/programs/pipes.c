// A pipe orders its two sides.
// expect: w(data)
// expect: r(data)
// hb: none
#include <pthread.h>
#include <unistd.h>

int ends[2];
int data;

static void *run(void *unused)
{
    data = 5;
    if (write(ends[1], "x", 1) != 1)
        return &data;
    return unused;
}

int main(void)
{
    pthread_t thread;
    char byte;
    if (pipe(ends))
        return 1;
    pthread_create(&thread, NULL, run, NULL);
    if (read(ends[0], &byte, 1) != 1)
        return 2;
    int seen = data;
    pthread_join(thread, NULL);
    return seen == 5 ? 0 : 3;
}
