// The classic: every thread gets the address of the loop's variable.
// race: A B
// also race: C C
// valgrind race: A C
#include "steps.h"
int seen[4];
static void *body(void *argument)
{
    int number = *(int *)argument; //@B
    seen[number & 3] = 1;          //@C
    return NULL;
}
int main(void)
{
    pthread_t threads[2];
    int i = 0;
    pthread_create(&threads[0], NULL, body, &i);
    SLEEP(1);
    i = 1; //@A
    pthread_create(&threads[1], NULL, body, &i);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
