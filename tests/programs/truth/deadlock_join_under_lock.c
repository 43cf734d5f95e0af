// A thread is joined by one that holds the lock it still needs.
// deadlock: A B
#include "steps.h"
MUTEX(m);
THREAD(worker)
{
    PASS(m); //@B
    END;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    SLEEP(2);
    LOCK(m);
    pthread_join(thread, NULL); //@A
    UNLOCK(m);
    return 0;
}
