// Which atomic loads waited for what they saw (atomicr), and which merely looked (atomiclook).
// count 1: atomicr.acquire(spun)
// count 1: atomicr.acquire(yielded)
// count 1: atomicr(helped)
// count 1: atomicr(kept)
// count 1: atomicr.acquire(order of annotated
// expect: atomicr.acquire(polled)
// count 1: atomiclook.acquire(looked)
// count 2: atomiclook(twice)
// never: atomiclook.acquire(spun)
// never: atomiclook.acquire(yielded)
// never: atomiclook(helped)
// never: atomiclook(kept)
// never: atomiclook(exchanged)
// count 1: atomiclook.relaxed(numbers
// hb: none
#include <atomic>
#include <pthread.h>
#include <sched.h>
#include <time.h>

extern "C" {
void AnnotateHappensBefore(const char *file, int line, const volatile void *address);
void AnnotateHappensAfter(const char *file, int line, const volatile void *address);
}

std::atomic<int> spun, yielded, helped, looked, twice, polled, exchanged, numbers;
int annotated, work, kept;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#define NOINLINE __attribute__((noinline))

static void *setter(void *unused)
{
    annotated = 1;
    AnnotateHappensBefore(__FILE__, __LINE__, &annotated);
    spun.store(1, std::memory_order_release);
    yielded.store(1, std::memory_order_release);
    helped = 1;
    __atomic_store_n(&kept, 1, __ATOMIC_SEQ_CST);
    looked.store(1, std::memory_order_release);
    twice = 1;
    exchanged = 1;
    numbers.store(7, std::memory_order_relaxed);
    struct timespec moment = {0, 500000000};
    nanosleep(&moment, nullptr);
    polled.store(1, std::memory_order_release);
    return unused;
}

/* All set already: nothing in the run says that these would have waited. */
NOINLINE static void spin()
{
    while (!spun.load(std::memory_order_acquire))
        ;
}

NOINLINE static void yield()
{
    while (!yielded.load(std::memory_order_acquire))
        sched_yield();
}

NOINLINE static bool is_helped()
{
    return helped.load() != 0;
}

NOINLINE static void spin_with_helper()
{
    while (!is_helped())
        ;
}

/* As C's atomic_load: what was loaded goes through a variable whose address is taken. */
NOINLINE static void spin_with_copy()
{
    int copy;
    do
        __atomic_load(&kept, &copy, __ATOMIC_SEQ_CST);
    while (!copy);
}

/* A loop around more than the load: known when it has gone round. */
NOINLINE static void poll()
{
    while (!polled.load(std::memory_order_acquire)) {
        pthread_mutex_lock(&mutex);
        work++;
        pthread_mutex_unlock(&mutex);
    }
}

NOINLINE static int look()
{
    return looked.load(std::memory_order_acquire) ? 1 : 2;
}

NOINLINE static int look_again()
{
    return twice.load();
}

NOINLINE static bool exchange()
{
    int expected = 5;
    return exchanged.compare_exchange_strong(expected, 6);
}

/* A loop that does something with what it loads. */
NOINLINE static int add_up()
{
    int sum = 0;
    for (int i = 0; i < 1; i++) {
        sum += numbers.load(std::memory_order_relaxed);
        work += sum;
    }
    return sum;
}

int main()
{
    pthread_t thread;
    pthread_create(&thread, nullptr, setter, nullptr);
    struct timespec moment = {0, 200000000};
    nanosleep(&moment, nullptr);
    AnnotateHappensAfter(__FILE__, __LINE__, &annotated);
    spin();
    yield();
    spin_with_helper();
    spin_with_copy();
    int result = annotated + look() + look_again() + exchange() + add_up();
    result += look_again();
    poll();
    pthread_join(thread, nullptr);
    return result == 11 ? 0 : 1;
}
