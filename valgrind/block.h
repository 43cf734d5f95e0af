/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A superblock that is being instrumented: the instruction at hand, what can be told of
 * it (shapes.c), and what is added to it (additions.c). */
#ifndef PREPLAY_VALGRIND_BLOCK_H
#define PREPLAY_VALGRIND_BLOCK_H

#include "pub_tool_tooliface.h"

#include "tool.h"

enum { SEEN_MOST = 24 };

struct seen_access {
    IRTemp address;
    uint32_t size;
    bool write;
};

struct block {
    IRSB *in, *out;
    const VexGuestLayout *layout;
    const IRExpr **definitions; /* of temporaries */
    /* The instruction at hand. */
    Addr pc, next;
    int first, last; /* its statements */
    bool recorded, locked;
    bool atomic; /* code that does nothing but atomic operations */
    struct seen_access seen[SEEN_MOST];
    unsigned seen_count;
};

/* Does this instruction leave the stack pointer at `address` + `distance`? */
bool block_moves_stack(const struct block *block, const IRExpr *address, int64_t distance);
/* Is it the top of the stack, as this instruction finds it? */
bool block_is_stack_top(const struct block *block, const IRExpr *address);
/* A store of the address that follows the instruction. */
bool block_is_call(const struct block *block, const IRExpr *data);
/* A load that is neither a return, nor a pop, nor linkage. */
bool block_is_access(const struct block *block, const IRExpr *address);
uint32_t block_size_of(const struct block *block, const IRExpr *data);

IRExpr *block_word(uint64_t value);
/* A call to the tool, made if `guard` (or it is NULL). */
void block_add_call(struct block *block, IRDirty *call, IRExpr *guard);
void block_add_access(struct block *block, IRExpr *address, uint32_t size, bool write,
                      IRExpr *guard);
/* Before the statement: an access that a schedule may hold back leaves for the gate,
 * and its instruction is begun again. That is possible as long as the instruction has
 * changed nothing. */
void block_add_gate(struct block *block, int at, IRExpr *address, uint32_t size, unsigned op);

#endif
