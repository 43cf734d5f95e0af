// An update through two locked calls: what is stored in between is lost.
// record: --blocks
// hb: none
// atomicity: deposit
// replay: deposit
// sound: deposit
#include "../patience.h"
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int balance;

__attribute__((noinline)) static int get(void)
{
    pthread_mutex_lock(&mutex);
    int amount = balance;
    pthread_mutex_unlock(&mutex);
    return amount;
}

__attribute__((noinline)) static void set(int amount)
{
    pthread_mutex_lock(&mutex);
    balance = amount;
    pthread_mutex_unlock(&mutex);
}

__attribute__((noinline)) static void deposit(int amount)
{
    set(get() + amount);
}

static void *close_account(void *unused)
{
    usleep(20000); /* late in the recorded run */
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
