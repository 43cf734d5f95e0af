// A field of a heap object.
// race: A B
#include "steps.h"
struct account {
    long balance;
    pthread_mutex_t lock;
} * account;
THREAD(a)
{
    account->balance += 10; //@A
    PASS(account->lock);
    END;
}
THREAD(b)
{
    SLEEP(1);
    PASS(account->lock);
    account->balance -= 10; //@B
    END;
}
int main(void)
{
    account = calloc(1, sizeof *account);
    pthread_mutex_init(&account->lock, NULL);
    RUN(a, b);
    free(account);
    return 0;
}
