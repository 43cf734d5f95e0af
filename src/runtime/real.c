#include "runtime/real.h"

#include <dlfcn.h>

struct real real;

/* Two threads may do this at once: they write the same pointers. */
void real_resolve(void)
{
#define REAL_FUNCTION(result, name, parameters)                                                    \
    *(void **)(void *)&real.name = dlsym(RTLD_NEXT, #name);
    REAL_TABLE(REAL_FUNCTION)
#undef REAL_FUNCTION
    /* The oldest versions of these are incompatible with today's objects. */
#define CONDITION(name)                                                                            \
    do {                                                                                           \
        void *found = dlvsym(RTLD_NEXT, #name, "GLIBC_2.3.2");                                     \
        if (found)                                                                                 \
            *(void **)(void *)&real.name = found;                                                  \
    } while (0)
    CONDITION(pthread_cond_init);
    CONDITION(pthread_cond_wait);
    CONDITION(pthread_cond_timedwait);
    CONDITION(pthread_cond_signal);
    CONDITION(pthread_cond_broadcast);
#undef CONDITION
    __atomic_store_n(&real.ready, true, __ATOMIC_RELEASE);
}
