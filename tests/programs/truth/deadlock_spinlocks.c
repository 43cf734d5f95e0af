// Spinlocks: who is blocked does not sleep.
// deadlock: A B
#include "steps.h"
pthread_spinlock_t m, n;
THREAD(a)
{
    pthread_spin_lock(&m);
    pthread_spin_lock(&n); //@A
    pthread_spin_unlock(&n);
    pthread_spin_unlock(&m);
    END;
}
THREAD(b)
{
    SLEEP(1);
    pthread_spin_lock(&n);
    pthread_spin_lock(&m); //@B
    pthread_spin_unlock(&m);
    pthread_spin_unlock(&n);
    END;
}
int main(void)
{
    pthread_spin_init(&m, 0);
    pthread_spin_init(&n, 0);
    RUN(a, b);
    return 0;
}
