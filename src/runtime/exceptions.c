/* SPDX-License-Identifier: MIT */
/* Exceptions that threads share, by std::exception_ptr or std::future. The C++ library counts who
 * holds one in code that is not instrumented: whoever drops it last destroys and frees what the
 * others looked at before they dropped theirs, and nothing that is recorded says that it is last.
 * Here it is said: who drops an exception releases it, who finds himself the last acquires it.
 *
 * The order of the records must be that of the counting: so a reference that is not the only one is
 * dropped here, between the two. The layout is the C++ library's, part of its binary interface. */
#include "runtime/libcxx.h"
#include "runtime/real.h"
#include "runtime/sync.h"

enum { BEFORE_OBJECT = 128 }; /* from the count to what was thrown */

/* What a thread has caught; where another exception's object is shared, that one is named first. */
struct caught {
    void *primary;
    void *unused[9];
    uint64_t language;
};

#define LANGUAGE UINT64_C(0x474e5543432b2b00) /* GNUCC++; other libraries count otherwise */
#define SHARED   (LANGUAGE | 1)

#define FIND(function, name, caller)                                                               \
    do {                                                                                           \
        if (!(function))                                                                           \
            *(void **)(void *)&(function) = real_find_cplusplus(name, caller);                     \
    } while (0)

static int *count_of(void *object)
{
    return (int *)(void *)((char *)object - BEFORE_OBJECT);
}

/* Is the caller's reference the only one? If not, it is dropped. */
static bool is_last(void *object, uintptr_t pc)
{
    int *count = count_of(object);
    if (__atomic_load_n(count, __ATOMIC_ACQUIRE) > 1) {
        sync_release(count, pc);
        if (__atomic_sub_fetch(count, 1, __ATOMIC_ACQ_REL) > 0)
            return false;
        __atomic_store_n(count, 1, __ATOMIC_RELAXED);
    }
    sync_edge(EVENT_ATOMIC_LOAD, count, pc);
    return true;
}

#define POINTER_RELEASE _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv
#define TEXT_OF(name)   TEXT(name)
#define TEXT(name)      #name

static void drop(void **pointer, uintptr_t pc)
{
    static void (*real_function)(void **);
    if (!*pointer || !is_last(*pointer, pc))
        return;
    FIND(real_function, TEXT_OF(POINTER_RELEASE), pc);
    real_function(pointer);
}

EXPORT void POINTER_RELEASE(void **pointer);
EXPORT void POINTER_RELEASE(void **pointer)
{
    drop(pointer, CALLER);
}

/* LLVM's library has the count inside what a thread has caught, and counts in a function of its
 * own, which libcxx.c stands in front of. */
struct caught_by_llvm {
    void *unused;
    long count; /* where another exception's object is shared, that one's address */
    void *more[10];
    uint64_t language;
};
#define LLVM_LANGUAGE UINT64_C(0x434c4e47432b2b00) /* CLNGC++ */
#define LLVM_SHARED   (LLVM_LANGUAGE | 1)

static void *find_caught_by_llvm(struct caught_by_llvm *caught)
{
    enum { HEADER = 128 };
    if (caught->language == LLVM_SHARED)
        return (void *)caught->count;
    return caught->language == LLVM_LANGUAGE ? (char *)caught + HEADER : NULL;
}

/* The exception whose handler ends, if it is one of those we know. */
static void *find_caught(void *caught, bool llvm)
{
    enum { HEADER = 112 };
    struct caught *ours = caught;
    if (!caught)
        return NULL;
    if (llvm)
        return find_caught_by_llvm(caught);
    if (ours->language == SHARED)
        return ours->primary;
    return ours->language == LANGUAGE ? (char *)caught + HEADER : NULL;
}

/* Held on to while the handler ends, so that it is dropped here. */
static void end_catch_by_llvm(void *object, void (*end)(void), uintptr_t pc)
{
    long *count = libcxx_count(object);
    if (__atomic_load_n(count, __ATOMIC_ACQUIRE) <= 1) {
        sync_edge(EVENT_ATOMIC_LOAD, count, pc);
        end();
        return;
    }
    __atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
    end();
    libcxx_drop_exception(object, pc);
}

static void end_catch(void *object, void (*end)(void), uintptr_t pc)
{
    if (__atomic_load_n(count_of(object), __ATOMIC_ACQUIRE) <= 1) {
        sync_edge(EVENT_ATOMIC_LOAD, count_of(object), pc);
        end();
        return;
    }
    __atomic_add_fetch(count_of(object), 1, __ATOMIC_RELAXED);
    end();
    drop(&object, pc);
}

EXPORT void __cxa_end_catch(void);
EXPORT void __cxa_end_catch(void)
{
    static void (*real_function)(void);
    static void **(*real_globals)(void);
    FIND(real_globals, "__cxa_get_globals", CALLER);
    FIND(real_function, "__cxa_end_catch", CALLER);
    bool llvm = libcxx_counts_exceptions(CALLER);
    void *object = real_globals ? find_caught(*real_globals(), llvm) : NULL;
    if (!object)
        real_function();
    else if (llvm)
        end_catch_by_llvm(object, real_function, CALLER);
    else
        end_catch(object, real_function, CALLER);
}
