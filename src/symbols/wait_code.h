/* SPDX-License-Identifier: MIT */
/* Is a read the check of a loop that waits for a condition variable? The program's own code knows,
 * though no thread may have waited in this run.
 *
 * A path through a function keeps the mutex as long as it calls nothing that unlocks more than it
 * locks. From the read, such a path must lead to a call that waits (a library's, or a function of
 * the program's that waits and does not lock), and either
 *   - another one leads from there back to the line of the read: a loop, or
 *   - the line of the read ends in a branch with the wait on one of its two sides only.
 * (A compiler copies the first check of a loop in front of it: the line decides, not the address.)
 * A read in a function that is called by the check counts as the call, if the function can return
 * with the mutex. */
#ifndef PREPLAY_SYMBOLS_WAIT_CODE_H
#define PREPLAY_SYMBOLS_WAIT_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbols;
struct code_files;
struct wait_code;

enum wait_answer {
    WAIT_UNKNOWN, /* the code cannot be read */
    WAIT_NOT,
    WAIT_CHECKED,
};

struct wait_code *wait_code_create(struct symbols *symbols);
void wait_code_destroy(struct wait_code *code);
/* For look_code.c. */
struct code_files *wait_code_files(struct wait_code *code);

/* `pcs` is the read's program counter and those of its callers, innermost first, each as the
 * address that the call (of the recorder's hook, of the function) returns to. `site`: the same of
 * the call that waits; 0 if it is another function's. */
enum wait_answer wait_code_checks(struct wait_code *code, const uint64_t *pcs, size_t count,
                                  uint64_t *site);

/* Is the atomic operation that returns to pcs[0] a plain load, and not the check of a loop that
 * does nothing but check (and yield, or sleep)? False if the code cannot be read. */
bool wait_code_looks(struct wait_code *code, const uint64_t *pcs, size_t count);

#endif
