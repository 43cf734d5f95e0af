// The twin: the lock is free by the time of the join.
#include "steps.h"
MUTEX(m);
THREAD(worker)
{
    PASS(m);
    END;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    SLEEP(2);
    PASS(m);
    pthread_join(thread, NULL);
    return 0;
}
