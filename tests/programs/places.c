// Accesses are recorded at each of their places in a segment; of large arrays 16,384 repetitions.
// preplay only: ThreadSanitizer remembers a thread's last accesses to a variable alone
// expect: places.c:18
// expect: places.c:23
// expect: places.c:28
// expect: places.c:33
// most 6: (shared)
// hb: race shared
// most 147456: (table
#include <pthread.h>

enum { LARGE = 1 << 16 };
int shared;
long table[LARGE];

static __attribute__((noinline)) void set(int value)
{
    shared = value;
}

static __attribute__((noinline)) void clear(void)
{
    shared = 0;
}

static __attribute__((noinline)) int get(void)
{
    return shared;
}

static __attribute__((noinline)) int look(void)
{
    return shared;
}

static __attribute__((noinline)) long sum(const long *at)
{
    long total = 0;
    for (int i = 0; i < LARGE; i++)
        total += at[i];
    for (int i = LARGE; i-- > 0;)
        total ^= at[i];
    return total;
}

static void *run(void *unused)
{
    long total = 0;
    for (int i = 0; i < 4; i++) {
        set(i);
        clear();
        total += get() + look();
    }
    for (int i = 0; i < 10; i++)
        total += sum(table);
    return total ? &table : unused;
}

static void *other(void *unused)
{
    for (int i = 0; i < 10; i++)
        shared = i;
    for (int i = 0; i < LARGE; i++)
        table[i] = 0;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, run, NULL);
    pthread_create(&threads[1], NULL, other, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
