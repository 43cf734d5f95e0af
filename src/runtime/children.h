/* SPDX-License-Identifier: MIT */
/* Other processes that this one starts. */
#ifndef PREPLAY_RUNTIME_CHILDREN_H
#define PREPLAY_RUNTIME_CHILDREN_H

#include <stdint.h>

/* Before fork() and its like. */
void child_starts(uintptr_t pc);

#endif
