/* A ring of two places, one writer and one reader who look only at their own end. -DRIGHT: they
 * wait for each other. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { PLACES = 2, ITEMS = 3 };

static atomic_int places[PLACES], sent, received;

static void *send(void *argument)
{
    for (int i = 1; i <= ITEMS; i++) {
#ifdef RIGHT
        while (sent - received == PLACES)
            sched_yield();
#endif
        places[sent % PLACES] = i;
        sent++;
    }
    return argument;
}

static void *receive(void *argument)
{
    for (int i = 1; i <= ITEMS; i++) {
        while (sent == received)
            sched_yield();
        int item = places[received % PLACES];
        assert(item == i);
        received++;
    }
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, send, NULL);
    pthread_create(&threads[1], NULL, receive, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
