/* SPDX-License-Identifier: MIT */
/* Accesses to ranges of memory by the C library on the target's behalf. */
#ifndef PREPLAY_RUNTIME_RANGES_H
#define PREPLAY_RUNTIME_RANGES_H

#include <stddef.h>
#include <stdint.h>

void range_read(const void *start, size_t length, uintptr_t pc);
void range_write(const void *start, size_t length, uintptr_t pc);

/* What the kernel is given to read, before it has said that it will: a length that no call can mean
 * is the program's mistake, and not walked along. */
static inline void range_given(const void *start, size_t length, uintptr_t pc)
{
    const size_t most = 0x7ffff000; /* that one call moves */
    range_read(start, length < most ? length : most, pc);
}

#endif
