/* A shared counter, a compare-and-swap stack and a published pointer: every
 * operation is atomic. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { ROUNDS = 1000000, THREADS = 2 };
static _Atomic long counter;
static _Atomic long top;
static _Atomic(const int *) published;
static const int values[2] = {1, 2};

static void *work(void *argument)
{
    long sum = 0;
    for (long i = 0; i < ROUNDS; i++) {
        atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
        long seen = atomic_load_explicit(&top, memory_order_relaxed);
        while (!atomic_compare_exchange_weak(&top, &seen, seen + 1))
            ;
        const int *value = atomic_load_explicit(&published, memory_order_acquire);
        if (value)
            sum += *value;
        if (i % 64 == 0)
            atomic_store_explicit(&published, &values[i % 128 / 64], memory_order_release);
    }
    *(long *)argument = sum;
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    long sums[THREADS];
    for (int t = 0; t < THREADS; t++)
        pthread_create(&threads[t], NULL, work, &sums[t]);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    printf("%ld %ld\n", atomic_load(&counter), atomic_load(&top));
    return 0;
}
