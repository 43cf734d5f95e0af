// deadlock: A
// not replayed: signals come when they like
// A signal handler that records something while its thread is blocked: the wish stays.
#include "hang.h"
#include <signal.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int handled;
static void handler(int number)
{
    pthread_mutex_lock(&other);
    handled += number;
    pthread_mutex_unlock(&other);
}
static pthread_t blocked;
static void *poke(void *unused)
{
    meet(2);
    for (int i = 0; i < 20; i++) {
        usleep(5000);
        pthread_kill(blocked, SIGUSR1);
    }
    return unused;
}
int main(void)
{
    signal(SIGUSR1, handler);
    blocked = pthread_self();
    start(poke);
    pthread_mutex_lock(&lock);
    meet(2);
    pthread_mutex_lock(&lock); //@A
}
