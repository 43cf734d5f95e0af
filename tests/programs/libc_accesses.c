// What the C library does to memory on the program's behalf.
// expect: w(target[3])
// hb: race target
#include <pthread.h>
#include <string.h>

char target[64], source[64] = "text", text[64];
size_t (*volatile length)(const char *) = strlen;
void *(*volatile copy)(void *, const void *, size_t) = memcpy;

static void *run(void *unused)
{
    copy(target, source, 16);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    copy(source + 8, text, 8);
    int n = target[3] + (int)length(text);
    pthread_join(thread, NULL);
    return n < 0;
}
