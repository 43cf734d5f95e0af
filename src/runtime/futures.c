/* SPDX-License-Identifier: MIT */
/* Results that are set at the end of a thread (std::promise::set_value_at_thread_exit and its
 * like). The C++ library sets them in code that is not instrumented; whoever waits for one loads
 * its status in a header. So the status is set here, where it can be told, right before the library
 * does it. The layout is the C++ library's, part of its binary interface. */
#include "runtime/real.h"
#include "runtime/sync.h"

enum { STATUS_READY = 1 };

struct shared_state {
    void *methods, *result;
    uint32_t status;
};

/* One of the things that a thread does at its end. */
struct make_ready {
    struct make_ready *next;
    void (*run)(void *);
    struct shared_state *state;
    void *owners;
};

static void (*library_run)(void *);

static void preplay_make_ready(void *argument)
{
    struct make_ready *ready = argument;
    sync_set_bits(&ready->state->status, sizeof ready->state->status, STATUS_READY, CALLER);
    library_run(argument);
}

#define MAKE_READY_SET _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv
#define TEXT_OF(name)  TEXT(name)
#define TEXT(name)     #name

EXPORT void MAKE_READY_SET(struct make_ready *ready);
EXPORT void MAKE_READY_SET(struct make_ready *ready)
{
    static void (*real_function)(struct make_ready *);
    if (!real_function)
        *(void **)(void *)&real_function = real_find_cplusplus(TEXT_OF(MAKE_READY_SET), CALLER);
    real_function(ready);
    if (!recorder_self() || ready->run == preplay_make_ready)
        return;
    library_run = ready->run;
    ready->run = preplay_make_ready;
}
