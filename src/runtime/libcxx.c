/* SPDX-License-Identifier: MIT */
/* What LLVM's C++ library, libc++, does in its shared object by atomic operations of its own, where
 * headers, which are instrumented, know the other half: std::call_once, std::barrier, the weak
 * counts of std::shared_ptr, exceptions that threads share. Layouts are the library's, part of its
 * binary interface. Everything else it does by pthreads or in headers. */
#include "runtime/libcxx.h"

#include "runtime/caller.h"
#include "runtime/real.h"
#include "runtime/sync.h"

#define FIND(result, name, parameters)                                                             \
    static result(*next) parameters;                                                               \
    if (unlikely(!next))                                                                           \
    *(void **)(void *)&next = real_find_cplusplus(TEXT(name), CALLER)
#define TEXT(name) #name

/* --- std::call_once ----------------------------------------------------------------- */

struct once_call {
    void (*run)(void *);
    void *argument, *flag;
    uintptr_t pc;
    bool ran;
};

static void once_event(unsigned op, const struct once_call *once)
{
    struct sync sync = SYNC_AT(op, once->flag, once->pc);
    sync_before(&sync);
    sync_after(&sync);
}

static void preplay_run_once(void *argument)
{
    struct once_call *once = argument;
    once->ran = true;
    once_event(EVENT_ONCE_BEGIN, once);
    {
        CALL_FROM(once->pc);
        once->run(once->argument);
    }
    once_event(EVENT_ONCE_END, once);
    /* Whoever comes later finds these bits set, and calls nobody. */
    sync_set_bits(once->flag, sizeof(unsigned long), ~UINT64_C(0), once->pc);
}

/* Thrown out of: the next one to come begins anew. */
static void leave_once(const struct once_call *once)
{
    if (!once->ran)
        once_event(EVENT_ONCE_PASS, once);
    else if (__atomic_load_n((unsigned long *)once->flag, __ATOMIC_RELAXED) != ~0ul)
        sync_note_init(RECORD_OP_INIT, once->flag, 0, once->pc);
}

#define CALL_ONCE _ZNSt3__111__call_onceERVmPvPFvS2_E
EXPORT void CALL_ONCE(void *flag, void *argument, void (*run)(void *));
EXPORT void CALL_ONCE(void *flag, void *argument, void (*run)(void *))
{
    FIND(void, CALL_ONCE, (void *, void *, void (*)(void *)));
    __attribute__((cleanup(leave_once))) struct once_call once = {
        .run = run, .argument = argument, .flag = flag, .pc = CALLER};
    next(flag, &once, preplay_run_once);
}

/* --- std::barrier ------------------------------------------------------------------- */

/* True for the last to arrive, which ends the phase: by an atomic store in a header. */
#define ARRIVE _ZNSt3__131__arrive_barrier_algorithm_baseEPNS_24__barrier_algorithm_baseEh
EXPORT bool ARRIVE(void *barrier, unsigned char phase);
EXPORT bool ARRIVE(void *barrier, unsigned char phase)
{
    FIND(bool, ARRIVE, (void *, unsigned char));
    sync_edge(EVENT_ATOMIC_RMW, barrier, CALLER);
    bool last = next(barrier, phase);
    if (last)
        sync_edge(EVENT_ATOMIC_LOAD, barrier, CALLER);
    return last;
}

/* --- counts ------------------------------------------------------------------------- */

/* Is the caller's reference the only one, where `none` is the count of that? If not, it is dropped.
 * The order of the records must be that of the counting, so it is done in between. */
static bool is_last(long *count, long none, uintptr_t pc)
{
    if (__atomic_load_n(count, __ATOMIC_ACQUIRE) != none) {
        sync_release(count, pc);
        if (__atomic_fetch_sub(count, 1, __ATOMIC_ACQ_REL) != none)
            return false;
        __atomic_store_n(count, none, __ATOMIC_RELAXED);
    }
    sync_edge(EVENT_ATOMIC_LOAD, count, pc);
    return true;
}

struct weak_count {
    void *methods;
    long shared, weak; /* less one */
};

#define RELEASE_WEAK   _ZNSt3__119__shared_weak_count14__release_weakEv
#define RELEASE_SHARED _ZNSt3__119__shared_weak_count16__release_sharedEv

EXPORT void RELEASE_WEAK(struct weak_count *count);
EXPORT void RELEASE_WEAK(struct weak_count *count)
{
    FIND(void, RELEASE_WEAK, (struct weak_count *));
    if (is_last(&count->weak, 0, CALLER))
        next(count);
}

/* The same in the shared object, where headers leave it to that. */
EXPORT void RELEASE_SHARED(struct weak_count *count);
EXPORT void RELEASE_SHARED(struct weak_count *count)
{
    FIND(void, RELEASE_SHARED, (struct weak_count *));
    if (is_last(&count->shared, 0, CALLER))
        next(count);
}

enum { BEFORE_OBJECT = 120 }; /* from the count to what was thrown */

long *libcxx_count(void *object)
{
    return (long *)(void *)((char *)object - BEFORE_OBJECT);
}

static void (*find_decrement(uintptr_t caller))(void *)
{
    static void (*found)(void *);
    static bool looked;
    if (unlikely(!looked)) {
        *(void **)(void *)&found =
            real_find_cplusplus("__cxa_decrement_exception_refcount", caller);
        looked = true;
    }
    return found;
}

bool libcxx_counts_exceptions(uintptr_t caller)
{
    return find_decrement(caller) != NULL;
}

void libcxx_drop_exception(void *object, uintptr_t pc)
{
    if (!object || is_last(libcxx_count(object), 1, pc))
        find_decrement(pc)(object);
}

EXPORT void __cxa_decrement_exception_refcount(void *object);
EXPORT void __cxa_decrement_exception_refcount(void *object)
{
    libcxx_drop_exception(object, CALLER);
}
