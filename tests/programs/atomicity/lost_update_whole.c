// The harmless twin of lost_update: one section an update.
// record: --blocks
// hb: none
// atomicity: none
// replay: none
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int balance;

__attribute__((noinline)) static void set(int amount)
{
    pthread_mutex_lock(&mutex);
    balance = amount;
    pthread_mutex_unlock(&mutex);
}

__attribute__((noinline)) static void deposit(int amount)
{
    pthread_mutex_lock(&mutex);
    balance += amount;
    pthread_mutex_unlock(&mutex);
}

static void *close_account(void *unused)
{
    set(0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, close_account, NULL);
    deposit(10);
    pthread_join(thread, NULL);
    return 0;
}
