// use-after-free by race: connection freed by the reaper, in time only because of a sleep
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static void say(const char *s)
{
    pthread_mutex_lock(&log_lock);
    puts(s);
    pthread_mutex_unlock(&log_lock);
}
struct conn {
    int fd;
    int bytes;
};
static struct conn *c;
static void *worker(void *a)
{
    (void)a;
    c->bytes += 10;
    say("worker done");
    return 0;
}
int main(void)
{
    c = calloc(1, sizeof *c);
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    usleep(100000);
    say("reaping");
    free(c);
    pthread_join(t, 0);
}
