// hidden race: publication through an unrelated lock (metrics counter)
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t stats_lock = PTHREAD_MUTEX_INITIALIZER;
static int hits;
static struct {
    int width, height;
} config;
static void count(void)
{
    pthread_mutex_lock(&stats_lock);
    hits++;
    pthread_mutex_unlock(&stats_lock);
}
static void *loader(void *a)
{
    (void)a;
    config.width = 800;
    config.height = 600;
    count();
    return 0;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, loader, 0);
    usleep(100000);
    count();
    printf("%dx%d\n", config.width, config.height);
    pthread_join(t, 0);
}
