/* Two accounts, two locks, and two transfers in opposite directions. This run
 * makes them one after the other and ends well; at the same time, each would hold
 * one lock and wait for the other's, for ever. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};

static struct account savings = {PTHREAD_MUTEX_INITIALIZER, 100};
static struct account current = {PTHREAD_MUTEX_INITIALIZER, 100};
static int fee = 1;

static void transfer(struct account *from, struct account *to, int amount)
{
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    from->balance -= amount + fee;
    to->balance += amount;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *save(void *unused)
{
    transfer(&current, &savings, 10);
    return unused;
}

static void *spend(void *unused)
{
    transfer(&savings, &current, 20);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, save, NULL);
    usleep(50000); /* long after that one is done */
    pthread_create(&threads[1], NULL, spend, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    printf("savings %d, current %d\n", savings.balance, current.balance);
    return 0;
}
