// As libc_accesses.c, compiled as distributions do: the checking forms of memcpy and others.
// hb: race copied
// hb: race formatted
// hb: race text
// tsan only: it names the line of the call, we that of the inline function in the header
// preplay only: it does not know the checking forms of memcpy and strcat
#define _FORTIFY_SOURCE 2
#include <pthread.h>
#include <stdio.h>
#include <string.h>

char copied[64], formatted[64], text[64], source[64] = "text";
volatile size_t length = 16;

static void *run(void *unused)
{
    memcpy(copied, source, length);
    snprintf(formatted, length, "%d and more", 42);
    strcat(text, source);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    int sum = copied[3] + formatted[1] + text[2];
    pthread_join(thread, NULL);
    return sum < 0;
}
