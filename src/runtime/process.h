/* SPDX-License-Identifier: MIT */
/* The runtime's one block of process-wide state.
 *
 * Ground rules of everything in src/runtime:
 *  - The target must not notice. Nothing here aborts, blocks for ever, changes
 *    errno, uses malloc on a hot path, or keeps a file descriptor open.
 *  - What cannot be recorded stops the recording, with one line on stderr.
 *  - A thread writes only its own stream; threads meet in stamps.h alone.
 *  - A signal handler may run in the middle of anything (recorder.h, `busy`). */
#ifndef PREPLAY_RUNTIME_PROCESS_H
#define PREPLAY_RUNTIME_PROCESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORT              __attribute__((visibility("default")))
#define likely(condition)   __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)
#define CALLER              ((uintptr_t)__builtin_return_address(0))

enum { PROCESS_PATH = 4096 };

struct process {
    _Atomic bool recording;
    bool values;                  /* --values */
    bool branches;                /* --branches */
    bool forked;                  /* made by fork(), in this run */
    bool blocks;                  /* --blocks: every function is an atomic block */
    uint32_t id;                  /* the process that records; a vfork child is another one */
    _Atomic uint32_t streams;     /* numbers handed out */
    _Atomic uint64_t bytes;       /* file space taken so far */
    uint64_t bytes_limit;         /* --max-trace; 0: none */
    char directory[PROCESS_PATH]; /* absolute */
    size_t run_length;            /* of the directory of the whole run, which it begins with */
};

#ifdef PREPLAY_HOST /* the tool that hosts the target: the target's own block (host.h) */
extern struct process *host_process;
#define process (*host_process)
#else
extern struct process process;
#endif

static inline bool process_recording(void)
{
    return atomic_load_explicit(&process.recording, memory_order_relaxed);
}

/* Starts recording if the environment asks for it; at most once. */
void process_start(void);
/* Recording ends here for the whole process, with one line that says why.
 * `stamp` is the last one that every thread has recorded. */
void process_stop(const char *reason, uint64_t stamp);
/* Adds to a small file of the trace, one way or the other (space.h). */
void process_add(const char *name, const char *text, size_t length);
/* What a file of this process is called from the directory of the run. */
void process_name(char *whole, size_t room, const char *name);
/* One line on stderr. */
void process_complain(const char *what, const char *why);
/* Notes the module that holds `pc` in the load map, if it is not there yet. */
void modules_note(uintptr_t pc);
/* Is the code at both in one module? True if it is not known. */
bool modules_hold_both(uintptr_t a, uintptr_t b);
void modules_reset(void);

#endif
