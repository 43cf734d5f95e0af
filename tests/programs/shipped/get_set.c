// A locked get, then a locked set.
// breaks: deposit
#include "../patience.h"
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int balance;

static int get(void)
{
    pthread_mutex_lock(&mutex);
    int amount = balance;
    pthread_mutex_unlock(&mutex);
    return amount;
}

static void set(int amount)
{
    pthread_mutex_lock(&mutex);
    balance = amount;
    pthread_mutex_unlock(&mutex);
}

static void deposit(int amount)
{
#ifdef RIGHT
    pthread_mutex_lock(&mutex);
    balance += amount;
    pthread_mutex_unlock(&mutex);
#else
    set(get() + amount);
#endif
}

static void *run(void *unused)
{
    usleep(20000); /* after main's, in the recorded run */
    deposit(5);
    return unused;
}

int main(void)
{
    pthread_t thread;
    set(1);
    pthread_create(&thread, NULL, run, NULL);
    deposit(10);
    pthread_join(thread, NULL);
    printf("%d\n", get());
    return 0;
}
