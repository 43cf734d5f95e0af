// Every width; a message passed by release and acquire; spinning leaves no trail.
// expect: atomicw.release(flag)
// expect: atomicr.acquire(flag)
// expect: atomicrmw(counter)
// expect: fence()
// most 40: atomicr.acquire(flag)
// most 6: atomicr.relaxed(left)
// most 6: atomicr.relaxed(right)
// hb: none
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

_Atomic int flag;
_Atomic long counter;
_Atomic uint8_t byte;
_Atomic uint16_t half;
_Atomic int left, right; /* what two workers have not done yet, added up by who waits */
int message;

static void *send(void *unused)
{
    for (volatile int i = 0; i < 200000; i++)
        ;
    atomic_store(&left, 0);
    for (volatile int i = 0; i < 200000; i++)
        ;
    atomic_store(&right, 0);
    message = 7;
    atomic_fetch_add(&counter, 2);
    atomic_fetch_xor(&byte, 3);
    atomic_fetch_or(&half, 5);
    atomic_store_explicit(&flag, 1, memory_order_release);
    return unused;
}

int main(void)
{
    pthread_t thread;
    long expected = 0;
    atomic_store(&left, 1);
    atomic_store(&right, 1);
    pthread_create(&thread, NULL, send, NULL);
    while (atomic_load_explicit(&left, memory_order_relaxed) +
           atomic_load_explicit(&right, memory_order_relaxed))
        ;
    while (!atomic_load_explicit(&flag, memory_order_acquire))
        ;
    atomic_thread_fence(memory_order_seq_cst);
    int seen = message;
    int swapped = atomic_compare_exchange_strong(&counter, &expected, 9);
    pthread_join(thread, NULL);
    return seen == 7 && !swapped && expected == 2 && byte == 3 && half == 5 ? 0 : 1;
}
