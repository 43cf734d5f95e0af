/* SPDX-License-Identifier: MIT */
#include "runtime/real.h"

#include "runtime/symbols.h"

struct real real;

/* Two threads may do this at once: they write the same pointers. */
void real_resolve(void)
{
#define REAL_FUNCTION(result, name, parameters) *(void **)(void *)&real.name = symbols_next(#name);
    REAL_TABLE(REAL_FUNCTION)
#undef REAL_FUNCTION
    __atomic_store_n(&real.ready, true, __ATOMIC_RELEASE);
}
