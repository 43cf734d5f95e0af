/* expect: hang */
#include "late.h"
static pthread_mutex_t from = PTHREAD_MUTEX_INITIALIZER, to = PTHREAD_MUTEX_INITIALIZER;
static int balance[2] = {100, 100};
static void move(pthread_mutex_t *first, pthread_mutex_t *second, int amount)
{
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    balance[0] -= amount;
    balance[1] += amount;
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}
static void *pay(void *unused)
{
    move(&from, &to, 10);
    say("paid");
    return unused;
}
int main(void)
{
    pthread_t thread = begin(pay);
    do_other_things();
    say("pay back");
#ifdef RIGHT
    move(&from, &to, -10);
#else
    move(&to, &from, -10);
#endif
    pthread_join(thread, NULL);
    printf("%d %d\n", balance[0], balance[1]);
}
