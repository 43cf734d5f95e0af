// A semaphore of one serves as the lock; the balance is read and written in two turns.
// hb: none
// atomicity: withdraw
// replay: withdraw
#include "../patience.h"
#include <preplay/preplay.h>
#include <pthread.h>
#include <semaphore.h>

sem_t turn;
int balance = 10;

static int get(void)
{
    sem_wait(&turn);
    int amount = balance;
    sem_post(&turn);
    return amount;
}

static void set(int amount)
{
    sem_wait(&turn);
    balance = amount;
    sem_post(&turn);
}

static void *spend(void *unused)
{
    usleep(20000); /* late in the recorded run */
    set(0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&turn, 0, 1);
    pthread_create(&thread, NULL, spend, NULL);
    preplay_block_begin("withdraw");
    set(get() - 5);
    preplay_block_end("withdraw");
    pthread_join(thread, NULL);
    return 0;
}
