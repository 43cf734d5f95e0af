// As in Sadowski's Figure 21.1: a calls b, which calls d, and d again through c. Not d
// and not c are to blame, but b, and a with it.
// record: --blocks
// hb: none
// atomicity: b
// note: blame a/b
// replay: b
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int value, calls;

__attribute__((noinline)) static void d(int amount)
{
    pthread_mutex_lock(&mutex);
    value += amount;
    pthread_mutex_unlock(&mutex);
    __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void c(int amount)
{
    d(amount);
    __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void b(int amount)
{
    d(amount);
    c(-amount);
    __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void a(int amount)
{
    b(amount);
    __asm__ volatile("" ::: "memory");
}

static void *run(void *unused)
{
    d(5);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    a(1);
    pthread_join(thread, NULL);
    return 0;
}
