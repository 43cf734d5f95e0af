// What programs tell a race detector about locks, orders and fibers of their own making.
// expect: wracq(own_lock)
// expect: wrrel(own_lock)
// expect: trywracq!(own_lock)
// expect: rdacq(own_lock)
// expect: w(guarded)
// never: w(ignored)
// expect: w(by_fiber)
// expect: (order of annotated)
// hb: none
#include <pthread.h>
#include <stdatomic.h>

void __tsan_acquire(void *);
void __tsan_release(void *);
void __tsan_mutex_create(void *, unsigned);
void __tsan_mutex_destroy(void *, unsigned);
void __tsan_mutex_pre_lock(void *, unsigned);
void __tsan_mutex_post_lock(void *, unsigned, int);
int __tsan_mutex_pre_unlock(void *, unsigned);
void __tsan_mutex_post_unlock(void *, unsigned);
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned);
void __tsan_destroy_fiber(void *);
void __tsan_switch_to_fiber(void *, unsigned);
void AnnotateHappensBefore(const char *, int, const volatile void *);
void AnnotateHappensAfter(const char *, int, const volatile void *);
void AnnotateIgnoreWritesBegin(const char *, int);
void AnnotateIgnoreWritesEnd(const char *, int);

enum { READ = 1 << 3, TRY = 1 << 4, FAILED = 1 << 5 };

atomic_int own_lock;
int guarded, released, annotated, ignored, by_fiber, tag;
static volatile int turn; /* steers the run, unseen as far as order goes */

static void lock(void)
{
    __tsan_mutex_pre_lock(&own_lock, 0);
    while (atomic_exchange(&own_lock, 1))
        ;
    __tsan_mutex_post_lock(&own_lock, 0, 0);
}

static void unlock(void)
{
    __tsan_mutex_pre_unlock(&own_lock, 0);
    atomic_store(&own_lock, 0);
    __tsan_mutex_post_unlock(&own_lock, 0);
}

__attribute__((no_sanitize("thread"))) static void wait_for(int value)
{
    while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != value)
        ;
}

__attribute__((no_sanitize("thread"))) static void let(int value)
{
    __atomic_store_n(&turn, value, __ATOMIC_RELEASE);
}

static void *run(void *unused)
{
    lock();
    guarded++;
    let(1);
    wait_for(2);
    unlock();
    released = 1;
    __tsan_release(&tag);
    annotated = 1;
    AnnotateHappensBefore(__FILE__, __LINE__, &annotated);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    ignored = 1;
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    let(3);
    return unused;
}

int main(void)
{
    pthread_t thread;
    __tsan_mutex_create(&own_lock, 0);
    pthread_create(&thread, NULL, run, NULL);
    wait_for(1);
    __tsan_mutex_pre_lock(&own_lock, TRY);
    int got = !atomic_exchange(&own_lock, 1);
    __tsan_mutex_post_lock(&own_lock, got ? TRY : TRY | FAILED, 0);
    let(2);
    lock();
    guarded++;
    unlock();
    __tsan_mutex_pre_lock(&own_lock, READ);
    __tsan_mutex_post_lock(&own_lock, READ, 0);
    int sum = guarded;
    __tsan_mutex_pre_unlock(&own_lock, READ);
    __tsan_mutex_post_unlock(&own_lock, READ);
    wait_for(3);
    __tsan_acquire(&tag);
    sum += released;
    AnnotateHappensAfter(__FILE__, __LINE__, &annotated);
    sum += annotated;
    ignored = 2;
    void *self = __tsan_get_current_fiber(), *fiber = __tsan_create_fiber(0);
    __tsan_switch_to_fiber(fiber, 0);
    by_fiber = 1;
    __tsan_switch_to_fiber(self, 0);
    sum += by_fiber;
    __tsan_destroy_fiber(fiber);
    pthread_join(thread, NULL);
    __tsan_mutex_destroy(&own_lock, 0);
    return got || sum != 5;
}
