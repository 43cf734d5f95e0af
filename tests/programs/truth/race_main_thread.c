// The main thread is one of the two.
// race: A B
#include "steps.h"
MUTEX(m);
int x;
THREAD(worker)
{
    SLEEP(1);
    PASS(m);
    x = 2; //@B
    END;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    x = 1; //@A
    PASS(m);
    pthread_join(thread, NULL);
    return 0;
}
