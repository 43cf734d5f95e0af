/* SPDX-License-Identifier: MIT */
/* The function that ours stands in front of. */
#ifndef PREPLAY_STEPPER_REAL_H
#define PREPLAY_STEPPER_REAL_H

#include <dlfcn.h>

#define REAL(name)                                                                                 \
    ({                                                                                             \
        static __typeof__(&name) real_function;                                                    \
        if (!real_function)                                                                        \
            real_function = (__typeof__(&name))real_find(#name);                                   \
        real_function;                                                                             \
    })

/* The newest one: of condition variables the C library has older ones by the same name. */
void *real_find(const char *name);

#endif
