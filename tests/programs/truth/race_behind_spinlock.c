// The ordering lock is a spinlock.
// race: A B
#include "steps.h"
pthread_spinlock_t spin;
int x;
THREAD(a)
{
    x = 1; //@A
    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin);
    END;
}
THREAD(b)
{
    SLEEP(1);
    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin);
    x = 2; //@B
    END;
}
int main(void)
{
    pthread_spin_init(&spin, 0);
    RUN(a, b);
    return 0;
}
