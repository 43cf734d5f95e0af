// Two transfers between two accounts, in both directions.
// deadlock: A A
#include "steps.h"
struct account {
    pthread_mutex_t lock;
    long balance;
} accounts[2];
static void transfer(struct account *from, struct account *to)
{
    LOCK(from->lock);
    LOCK(to->lock); //@A
    from->balance--;
    to->balance++;
    UNLOCK(to->lock);
    UNLOCK(from->lock);
}
THREAD(there)
{
    transfer(&accounts[0], &accounts[1]);
    END;
}
THREAD(back)
{
    SLEEP(1);
    transfer(&accounts[1], &accounts[0]);
    END;
}
int main(void)
{
    pthread_mutex_init(&accounts[0].lock, NULL);
    pthread_mutex_init(&accounts[1].lock, NULL);
    RUN(there, back);
    return 0;
}
