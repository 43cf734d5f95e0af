/* SPDX-License-Identifier: MIT */
/* The stack of a thread that was not created through us, as the kernel has it: nothing is
 * allocated, since a signal handler may ask that has interrupted the allocator. */
#ifndef PREPLAY_RUNTIME_STACK_MAPS_H
#define PREPLAY_RUNTIME_STACK_MAPS_H

#include <stdint.h>

/* The memory around `place`, if it is mapped for itself, without a name; otherwise low and high
 * stay what they are: a stack inside of other memory has bounds that nobody tells. */
void stack_from_maps(uintptr_t place, uint64_t *low, uint64_t *high);

#endif
