/* SPDX-License-Identifier: MIT */
/* Does a value that was read go into what is written later, in one pass through a function?
 *
 * Followed through the registers and the stack frame of a function: through what it computes, into
 * the calls that it makes (a result depends on all arguments) and out of the ones it returns from.
 * Not followed: through memory that is not on the stack, through addresses of local variables that
 * are given away, along jumps through tables, and into branches. A value that goes any of these
 * ways is not found to be carried; one that is found to be carried may still be ignored by a
 * function that it is given to. Only x86-64. */
#ifndef PREPLAY_SYMBOLS_VALUE_FLOW_H
#define PREPLAY_SYMBOLS_VALUE_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_files;
struct value_flow;

/* A place and the calls that lead to it from the function in question, innermost first: each as the
 * address that the call (of the recorder's hook, of a function) returns to. */
struct call_path {
    const uint64_t *pcs;
    size_t count;
};

/* `files` must outlive it. */
struct value_flow *value_flow_create(struct code_files *files);
void value_flow_destroy(struct value_flow *flow);

/* Does one pass through one function lead from a place by another to a third (one_pass.h)? */
bool value_flow_leads(struct value_flow *flow, uint64_t from, uint64_t via, uint64_t to);

/* Does what is read at `from` go into what is written at `to`? The outermost places of both are in
 * one function. */
bool value_flow_carries(struct value_flow *flow, struct call_path from, struct call_path to);

/* Does what is read at `from` decide, in the function that both are in, whether the write at `to`
 * comes: by a branch with the write on one of its two sides only? What a called function finds out
 * by branches is in its result. */
bool value_flow_decides(struct value_flow *flow, struct call_path from, struct call_path to);

/* Does what is read there decide about anything in a function that it comes to: by a branch of
 * which no side gives up? */
bool value_flow_tests(struct value_flow *flow, struct call_path from);

/* Does the write at the innermost place change what is there (add to it, say), instead of putting
 * something else in its place? As far as the code right there tells. */
bool value_flow_updates(struct value_flow *flow, uint64_t pc);

#endif
