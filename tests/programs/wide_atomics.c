// Atomics of 16 bytes, and every other width, by their calls.
// expect: atomicrmw(wide)
// expect: atomicr.acquire(wide)
// expect: atomicw.release(wide)
// expect: atomicrmw.relaxed(small)
// hb: none
#include <pthread.h>

typedef unsigned __int128 word;
word __tsan_atomic128_load(const volatile void *, int);
void __tsan_atomic128_store(volatile void *, word, int);
word __tsan_atomic128_exchange(volatile void *, word, int);
word __tsan_atomic128_fetch_add(volatile void *, word, int);
word __tsan_atomic128_fetch_sub(volatile void *, word, int);
word __tsan_atomic128_fetch_and(volatile void *, word, int);
word __tsan_atomic128_fetch_or(volatile void *, word, int);
word __tsan_atomic128_fetch_xor(volatile void *, word, int);
word __tsan_atomic128_fetch_nand(volatile void *, word, int);
_Bool __tsan_atomic128_compare_exchange_strong(volatile void *, void *, word, int, int);

_Alignas(16) word wide;
unsigned char small;
unsigned short medium;
int data;

static void *run(void *unused)
{
    for (int i = 0; i < 1000; i++) {
        __tsan_atomic128_fetch_add(&wide, ((word)1 << 64) + 1, __ATOMIC_SEQ_CST);
        __atomic_fetch_add(&small, 1, __ATOMIC_RELAXED);
        __atomic_fetch_or(&medium, (unsigned short)(1 << i % 16), __ATOMIC_ACQ_REL);
    }
    return unused;
}

static void *publish(void *unused)
{
    data = 7;
    __tsan_atomic128_store(&wide, 1, __ATOMIC_RELEASE);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    const word one = 1, both = (one << 64) + 1;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    if (wide != both * 2000 || small != (unsigned char)2000 || medium != 0xffff)
        return 1;
    word expected = 5;
    if (__tsan_atomic128_compare_exchange_strong(&wide, &expected, 1, 5, 5) ||
        expected != both * 2000 ||
        !__tsan_atomic128_compare_exchange_strong(&wide, &expected, 6, 5, 5))
        return 2;
    if (__tsan_atomic128_fetch_sub(&wide, 1, 5) != 6 ||
        __tsan_atomic128_fetch_or(&wide, 8, 5) != 5 ||
        __tsan_atomic128_fetch_and(&wide, 12, 5) != 13 ||
        __tsan_atomic128_fetch_xor(&wide, 4, 5) != 12 ||
        __tsan_atomic128_fetch_nand(&wide, 8, 5) != 8 ||
        __tsan_atomic128_exchange(&wide, 0, 5) != ~(word)8)
        return 3;
    pthread_create(&threads[0], NULL, publish, NULL);
    while (!__tsan_atomic128_load(&wide, __ATOMIC_ACQUIRE))
        ;
    int seen = data;
    pthread_join(threads[0], NULL);
    return seen == 7 ? 0 : 4;
}
