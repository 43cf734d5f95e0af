/* SPDX-License-Identifier: MIT */
/* operator new: a block is the one that `new` or a container asked for at its place. Found only by
 * programs that have it from libstdc++.so: a program or a module that is linked with the static
 * library must not be linked with ours instead (exports.map).
 *
 * Valgrind's tool sees these calls itself. */
#include "runtime/caller.h"
#include "runtime/real.h"
#include "runtime/sync.h"

#ifndef PREPLAY_HOSTED

#define NEW_CALL(name, symbol, version, parameters, arguments)                                     \
    EXPORT void *new_##name parameters;                                                            \
    EXPORT void *new_##name parameters                                                             \
    {                                                                                              \
        static void *(*real_function)parameters;                                                   \
        CALL_FROM(CALLER);                                                                         \
        if (!real_function)                                                                        \
            *(void **)(void *)&real_function = real_find_cplusplus(#symbol, CALLER);               \
        return real_function arguments;                                                            \
    }                                                                                              \
    __asm__(".symver new_" #name "," #symbol "@" version);

#define PLAIN_NEW   "GLIBCXX_3.4"
#define ALIGNED_NEW "CXXABI_1.3.11"
NEW_CALL(one, _Znwm, PLAIN_NEW, (size_t size), (size))
NEW_CALL(many, _Znam, PLAIN_NEW, (size_t size), (size))
NEW_CALL(one_or_null, _ZnwmRKSt9nothrow_t, PLAIN_NEW, (size_t size, const void *none), (size, none))
NEW_CALL(many_or_null, _ZnamRKSt9nothrow_t, PLAIN_NEW, (size_t size, const void *none),
         (size, none))
NEW_CALL(aligned, _ZnwmSt11align_val_t, ALIGNED_NEW, (size_t size, size_t align), (size, align))
NEW_CALL(many_aligned, _ZnamSt11align_val_t, ALIGNED_NEW, (size_t size, size_t align),
         (size, align))
NEW_CALL(aligned_or_null, _ZnwmSt11align_val_tRKSt9nothrow_t, ALIGNED_NEW,
         (size_t size, size_t align, const void *none), (size, align, none))
NEW_CALL(many_aligned_or_null, _ZnamSt11align_val_tRKSt9nothrow_t, ALIGNED_NEW,
         (size_t size, size_t align, const void *none), (size, align, none))

#endif
