/* SPDX-License-Identifier: MIT */
/* Atomic blocks: which labels are atomic, which blocks each thread is in, and
 * who is to blame for a window.
 *
 * With a list of globs (--atomic) exactly the labels that match are atomic. Without
 * one every label is, but for what is never meant to be: `main` and its like, the
 * function a thread starts in (a block that begins right after the thread's start
 * event), and functions that wait: at a condition variable, a barrier, a join, or
 * a semaphore that had to be posted first. That a function waits is known
 * only once it does, so ask blocks_atomic() again before a finding is shown.
 *
 * A transaction is an outermost atomic block. The blocks to blame for a window are
 * those that contain both of its ends: the common prefix of the two call stacks
 * (Sadowski, chapter 21), taken of the calls themselves and not of their
 * names, so that two calls of one function are two. */
#ifndef PREPLAY_ATOMICITY_BLOCKS_H
#define PREPLAY_ATOMICITY_BLOCKS_H

#include "engine/engine.h"

struct blocks;

struct blocks *blocks_create(const struct trace *trace, const struct engine_options *options);
void blocks_destroy(struct blocks *blocks);

/* Moves past the event; `index` is its index in its thread. Returns true if it
 * began or ended a transaction of its thread. Ignores what is not in OPS_BLOCKS. */
bool blocks_step(struct blocks *blocks, const struct event *event, uint32_t index);
#define OPS_BLOCKS                                                                                 \
    (OP_BIT(EVENT_BLOCK_BEGIN) | OP_BIT(EVENT_BLOCK_END) | OP_BIT(EVENT_START) |                   \
     OP_BIT(EVENT_WAIT_BEGIN) | OP_BIT(EVENT_BARRIER_ENTER) | OP_BIT(EVENT_JOIN) |                 \
     OP_BIT(EVENT_SEM_WAIT))

/* Back to the start of the trace, with what was learned about labels: a second
 * reading knows from the start which functions wait. */
void blocks_rewind(struct blocks *blocks);

/* The number of the transaction `thread` is in, 0 for none; numbers count up. */
uint32_t blocks_transaction(const struct blocks *blocks, uint32_t thread);

/* Labels of the atomic blocks `thread` is in now and was in at its event `index`,
 * outermost first; valid until the next call. */
uint32_t blocks_blamed(struct blocks *blocks, uint32_t thread, uint32_t index,
                       const uint32_t **labels);

bool blocks_atomic(struct blocks *blocks, uint32_t label);
/* Did the user say which blocks are atomic, and so that no others are? */
bool blocks_are_named(const struct blocks *blocks);
/* A function that runs the program and is not part of it (`_start`). */
bool blocks_is_runner(const char *function);

/* The deepest stack that two call stacks have in common. Stacks are nodes of a
 * tree, 0 its root; a parent's number is below its children's. */
typedef uint32_t stack_parent(const void *context, uint32_t stack);
uint32_t stack_common(uint32_t a, uint32_t b, stack_parent *parent, const void *context);

#endif
