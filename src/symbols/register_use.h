/* SPDX-License-Identifier: MIT */
/* Which registers and which memory an instruction reads and writes, for who follows values through
 * machine code (value_flow.h). A register is a bit: 16 general ones, 15 for vectors, each with all
 * of its parts, and the flags that comparisons leave. */
#ifndef PREPLAY_SYMBOLS_REGISTER_USE_H
#define PREPLAY_SYMBOLS_REGISTER_USE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As functions are called on x86-64. */
enum register_set {
    REGISTER_RESULT = 1u << 0 | 1u << 16, /* rax, xmm0 */
    REGISTER_VALUE = 1u << 6,             /* rsi: the second argument */
    /* rdi, rsi, rdx, rcx, r8, r9, xmm0 to xmm7 */
    REGISTER_ARGUMENTS = 1u << 7 | 1u << 6 | 1u << 3 | 1u << 2 | 1u << 8 | 1u << 9 | 0xffu << 16,
    /* rbx, rsp, rbp, r12 to r15 */
    REGISTER_KEPT = 1u << 1 | 1u << 4 | 1u << 5 | 0xfu << 12,
};

struct register_use {
    uint32_t reads, writes; /* registers; what is read goes into what is written */
    uint32_t addresses;     /* registers that say where the memory is */
    int32_t slot;           /* which variable of the stack frame the memory is, if it is one */
    uint64_t offset; /* of the memory from its address register; or its address, if that is fixed */
    bool of_frame, reads_memory, writes_memory;
};

/* `decoder` is capstone's, with details switched on. */
struct cs_insn;
#define REGISTER_FLAGS (UINT32_C(1) << 31)

void register_use_find(size_t decoder, const struct cs_insn *found, struct register_use *use);

#endif
