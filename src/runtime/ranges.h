/* Accesses to ranges of memory by the C library on the target's behalf. */
#ifndef PREPLAY_RUNTIME_RANGES_H
#define PREPLAY_RUNTIME_RANGES_H

#include <stddef.h>
#include <stdint.h>

void range_read(const void *start, size_t length, uintptr_t pc);
void range_write(const void *start, size_t length, uintptr_t pc);

#endif
