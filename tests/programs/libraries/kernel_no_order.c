// What is taken for an order and is none. Right: with one that is.
// build: -D_GNU_SOURCE
// case relaxed: race data
// case relaxed_exchange: race data
// case volatile_flag: race data|plain_flag
// case yield: race data
// case sleep: race data
// case failed_try: race data
// case signal_fence: race data
// case barrier_of_the_compiler: race data
// case log_file: race data
#include "kernel.h"

#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int flag;

static memory_order publishing(void)
{
    return wrong ? memory_order_relaxed : memory_order_release;
}

static memory_order observing(void)
{
    return wrong ? memory_order_relaxed : memory_order_acquire;
}

static void *publish(void *unused)
{
    data = 42;
    if (wrong)
        atomic_store_explicit(&flag, 1, memory_order_relaxed);
    else
        atomic_store_explicit(&flag, 1, memory_order_release);
    return unused;
}

static void wait_flag(void)
{
    if (wrong)
        while (!atomic_load_explicit(&flag, memory_order_relaxed))
            usleep(100);
    else
        while (!atomic_load_explicit(&flag, memory_order_acquire))
            usleep(100);
}

static void with(void *(*other)(void *), void (*here)(void))
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    here();
    take();
    pthread_join(thread, NULL);
}

static void relaxed(void)
{
    with(publish, wait_flag);
}

static void *publish_exchange(void *unused)
{
    data = 42;
    atomic_exchange_explicit(&flag, 1, publishing());
    return unused;
}

static void wait_exchange(void)
{
    while (!atomic_fetch_add_explicit(&flag, 0, observing()))
        usleep(100);
}

static void relaxed_exchange(void)
{
    with(publish_exchange, wait_exchange);
}

static volatile int plain_flag;

static void *publish_volatile(void *unused)
{
    data = 42;
    if (wrong)
        plain_flag = 1;
    else
        atomic_store(&flag, 1);
    return unused;
}

static void wait_volatile(void)
{
    while (wrong ? !plain_flag : !atomic_load(&flag))
        usleep(100);
}

static void volatile_flag(void)
{
    with(publish_volatile, wait_volatile);
}

static void *set_data(void *unused)
{
    data = 42;
    return unused;
}

static void after_time(void (*pass)(void))
{
    pthread_t thread;
    pthread_create(&thread, NULL, set_data, NULL);
    if (!wrong)
        pthread_join(thread, NULL);
    pass();
    take();
    if (wrong)
        pthread_join(thread, NULL);
}

static void yield_often(void)
{
    for (int i = 0; i < 1000; i++)
        sched_yield();
}

static void yield(void)
{
    after_time(yield_often);
}

static void sleep_case(void)
{
    after_time(zoo_later);
}

/* That a lock is held says nothing about what its holder has done; and the holder has not let it
 * go. Right: it has. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int is_held, may_go;

static void *hold(void *unused)
{
    pthread_mutex_lock(&lock);
    atomic_store_explicit(&is_held, 1, memory_order_relaxed);
    data = 42;
    while (wrong && !atomic_load_explicit(&may_go, memory_order_relaxed))
        usleep(100);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void failed_try(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, hold, NULL);
    while (!atomic_load_explicit(&is_held, memory_order_relaxed))
        usleep(100);
    zoo_later();
    if (!wrong)
        pthread_mutex_lock(&lock);
    else
        CHECK(pthread_mutex_trylock(&lock) != 0);
    take();
    if (!wrong)
        pthread_mutex_unlock(&lock);
    atomic_store_explicit(&may_go, 1, memory_order_relaxed);
    pthread_join(thread, NULL);
}

static void *publish_fenced(void *unused)
{
    data = 42;
    if (wrong)
        atomic_signal_fence(memory_order_seq_cst);
    else
        atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return unused;
}

static void wait_fenced(void)
{
    while (!atomic_load_explicit(&flag, memory_order_relaxed))
        usleep(100);
    if (wrong)
        atomic_signal_fence(memory_order_seq_cst);
    else
        atomic_thread_fence(memory_order_acquire);
}

static void signal_fence(void)
{
    with(publish_fenced, wait_fenced);
}

static void *publish_behind_barrier(void *unused)
{
    data = 42;
    __asm__ volatile("" ::: "memory");
    if (wrong)
        atomic_store_explicit(&flag, 1, memory_order_relaxed);
    else
        atomic_store(&flag, 1);
    __asm__ volatile("" ::: "memory");
    return unused;
}

static void barrier_of_the_compiler(void)
{
    with(publish_behind_barrier, wait_flag);
}

/* What both write to is not what either hears. */
static int file;

static void *write_line(void *unused)
{
    data = 42;
    CHECK(write(file, "one\n", 4) == 4);
    return unused;
}

static void log_file(void)
{
    pthread_t thread;
    char text[8];
    CHECK((file = open("/tmp", O_TMPFILE | O_RDWR, 0600)) >= 0);
    pthread_create(&thread, NULL, write_line, NULL);
    if (!wrong)
        pthread_join(thread, NULL);
    zoo_later();
    while (pread(file, text, 4, 0) != 4)
        usleep(100);
    CHECK(lseek(file, 0, SEEK_SET) == 0 && read(file, text, 4) == 4);
    take();
    if (wrong)
        pthread_join(thread, NULL);
}

ZOO_MAIN({"relaxed", relaxed}, {"relaxed_exchange", relaxed_exchange},
         {"volatile_flag", volatile_flag}, {"yield", yield}, {"sleep", sleep_case},
         {"failed_try", failed_try}, {"signal_fence", signal_fence},
         {"barrier_of_the_compiler", barrier_of_the_compiler}, {"log_file", log_file})
