/* SPDX-License-Identifier: MIT */
/* Threads: creation, end, join, and the names they get in the trace. */
#ifndef PREPLAY_RUNTIME_THREAD_H
#define PREPLAY_RUNTIME_THREAD_H

#include <stdbool.h>
#include <stdint.h>

/* One object for all starts, ends and joins: a join is stamped after the end, and
 * a stack is reused only by a thread whose start is stamped after its former
 * owner's end. */
#define THREADS_OBJECT ((uintptr_t)8)

/* Once per process, before anything is recorded. */
void thread_prepare(void);

void process_forked(void);

/* The calling thread's stack; unchanged if it is not known. */
void thread_find_stack(uint64_t *low, uint64_t *high);

/* As gettid() has it, without a system call. */
uint32_t thread_kernel_id(void);

/* True, once, if a thread of this process ended that held the robust mutex: its release is
 * recorded. */
bool thread_ended_with(const void *mutex);

/* Is a thread that begins with this function a library's own (set by whoever knows the library)?
 * What it waits in until it is given something to do is none of the program's synchronisation. */
extern bool (*thread_is_of_library)(uintptr_t run);
/* The same, and nothing at all that it does is. */
extern bool (*thread_is_hidden)(uintptr_t run);

#endif
