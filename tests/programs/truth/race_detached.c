// Threads that nobody joins.
// race: A B
#include "steps.h"
MUTEX(m);
int x;
THREAD(a)
{
    x = 1; //@A
    PASS(m);
    END;
}
THREAD(b)
{
    SLEEP(1);
    PASS(m);
    x = 2; //@B
    END;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, a, NULL);
    pthread_detach(thread);
    pthread_create(&thread, NULL, b, NULL);
    pthread_detach(thread);
    SLEEP(4);
    return 0;
}
