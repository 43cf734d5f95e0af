/* Exceptions that threads share, by std::exception_ptr or std::future. The C++ library counts who
 * holds one in code that is not instrumented: whoever drops it last destroys and frees what the
 * others looked at before they dropped theirs, and nothing that is recorded says that it is last.
 * Here it is said: who drops an exception releases it, who finds himself the last acquires it.
 *
 * The order of the records must be that of the counting: so a reference that is not the only one is
 * dropped here, between the two. The layout is the C++ library's, part of its binary interface. */
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
        sync_edge(EVENT_ATOMIC_RMW, count, pc);
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

/* The exception whose handler ends, if it is one of those we know. */
static void *find_caught(uintptr_t pc)
{
    static struct caught **(*real_globals)(void);
    FIND(real_globals, "__cxa_get_globals", pc);
    struct caught *caught = real_globals ? *real_globals() : NULL;
    if (!caught || (caught->language != LANGUAGE && caught->language != SHARED))
        return NULL;
    enum { HEADER = 112 };
    return caught->language == SHARED ? caught->primary : (char *)caught + HEADER;
}

EXPORT void __cxa_end_catch(void);
EXPORT void __cxa_end_catch(void)
{
    static void (*real_function)(void);
    void *object = find_caught(CALLER);
    FIND(real_function, "__cxa_end_catch", CALLER);
    if (object && __atomic_load_n(count_of(object), __ATOMIC_ACQUIRE) > 1) {
        /* Held on to, so that it is dropped here. */
        __atomic_add_fetch(count_of(object), 1, __ATOMIC_RELAXED);
        real_function();
        drop(&object, CALLER);
        return;
    }
    if (object)
        sync_edge(EVENT_ATOMIC_LOAD, count_of(object), CALLER);
    real_function();
}
