/* SPDX-License-Identifier: MIT */
/* How LLVM's C++ library counts who holds an exception. */
#ifndef PREPLAY_RUNTIME_LIBCXX_H
#define PREPLAY_RUNTIME_LIBCXX_H

#include <stdbool.h>
#include <stdint.h>

/* Is it the one that the code at `caller` uses? */
bool libcxx_counts_exceptions(uintptr_t caller);
long *libcxx_count(void *object);
void libcxx_drop_exception(void *object, uintptr_t pc);

#endif
