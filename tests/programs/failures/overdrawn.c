/* expect: exit-code */
#include "late.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;
static void withdraw(int amount)
{
#ifdef RIGHT
    pthread_mutex_lock(&lock);
    if (balance >= amount)
        balance -= amount;
    pthread_mutex_unlock(&lock);
#else
    if (balance >= amount) { /* checked outside, done inside */
        pthread_mutex_lock(&lock);
        balance -= amount;
        pthread_mutex_unlock(&lock);
    }
#endif
}
static void *buy(void *unused)
{
    withdraw(80);
    say("bought");
    return unused;
}
int main(void)
{
    pthread_t thread = begin(buy);
    do_other_things();
    say("buy");
    withdraw(70);
    pthread_join(thread, NULL);
    return balance < 0;
}
