/* What ThreadSanitizer's own test programs synchronise with so that no tool sees it: a barrier that
 * can be used again, by a counter and a futex. Built without instrumentation, for both sides of
 * suites.sh: plain programs have no tool that would offer it. */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

void __tsan_testonly_barrier_init(_Atomic unsigned *barrier, unsigned count);
void __tsan_testonly_barrier_wait(_Atomic unsigned *barrier);
unsigned long __tsan_testonly_shadow_stack_current_size(void);

enum { COUNT_BITS = 8 }; /* above: how many have come so far */

void __tsan_testonly_barrier_init(_Atomic unsigned *barrier, unsigned count)
{
    atomic_store(barrier, count);
}

void __tsan_testonly_barrier_wait(_Atomic unsigned *barrier)
{
    unsigned count = atomic_load(barrier) & ((1u << COUNT_BITS) - 1);
    unsigned come = atomic_fetch_add(barrier, 1u << COUNT_BITS) >> COUNT_BITS;
    unsigned round = come / count;
    for (;;) {
        unsigned now = atomic_load(barrier);
        if ((now >> COUNT_BITS) / count != round)
            break;
        syscall(SYS_futex, barrier, FUTEX_WAIT_PRIVATE, now, NULL);
    }
    syscall(SYS_futex, barrier, FUTEX_WAKE_PRIVATE, 1 << 30);
}

unsigned long __tsan_testonly_shadow_stack_current_size(void)
{
    return 0;
}
