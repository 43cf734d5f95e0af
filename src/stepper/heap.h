/* SPDX-License-Identifier: MIT */
/* A heap whose addresses are the same in every run in which a thread does the same: each thread
 * takes its memory from a region of its own, and what was freed is not used again. So an access to
 * freed memory is always one, and is seen. */
#ifndef PREPLAY_STEPPER_HEAP_H
#define PREPLAY_STEPPER_HEAP_H

#include "stepper/steps.h"

#define HEAP_BASE   UINT64_C(0x200000000000)
#define HEAP_REGION ((uint64_t)1 << 30)
#define HEAP_END    (HEAP_BASE + 2 * STEPPER_THREADS * HEAP_REGION)

/* Ends the program if the address lies in freed memory. */
void heap_check(uintptr_t address, uintptr_t pc);
/* Memory for a thread's stack, the same for the same thread; NULL if there is none. */
void *heap_stack(const struct stepped *thread, size_t size);

/* Told by the C library's functions, and by the compiler's. */
void memory_access(enum step_op op, uintptr_t address, size_t size, uintptr_t pc);

#endif
