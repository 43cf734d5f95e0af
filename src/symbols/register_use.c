/* SPDX-License-Identifier: MIT */
#include "symbols/register_use.h"

#include <capstone/capstone.h>

enum { PARTS = 5 };

/* In the order of the bits. */
static const uint16_t general[16][PARTS] = {
    {X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH},
    {X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH},
    {X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH},
    {X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH},
    {X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL},
    {X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL},
    {X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL},
    {X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL},
    {X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B},
    {X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B},
    {X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B},
    {X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B},
    {X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B},
    {X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B},
    {X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B},
    {X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B},
};

static uint32_t bit_of(unsigned name)
{
    if (name == X86_REG_EFLAGS)
        return REGISTER_FLAGS;
    if (name >= X86_REG_XMM0 && name <= X86_REG_XMM14)
        return 1u << (16 + name - X86_REG_XMM0);
    if (name >= X86_REG_YMM0 && name <= X86_REG_YMM14)
        return 1u << (16 + name - X86_REG_YMM0);
    for (unsigned i = 0; i < 16; i++)
        for (unsigned part = 0; part < PARTS; part++)
            if (name == general[i][part] && name != X86_REG_INVALID)
                return 1u << i;
    return 0;
}

/* A register with itself, to make it zero. */
static bool is_zero(const cs_insn *found)
{
    const cs_x86 *detail = &found->detail->x86;
    bool kind = found->id == X86_INS_XOR || found->id == X86_INS_SUB || found->id == X86_INS_PXOR ||
                found->id == X86_INS_XORPS || found->id == X86_INS_XORPD;
    return kind && detail->op_count == 2 && detail->operands[0].type == X86_OP_REG &&
           detail->operands[1].type == X86_OP_REG &&
           detail->operands[0].reg == detail->operands[1].reg;
}

static void use_memory(const cs_insn *found, const cs_x86_op *operand, struct register_use *use)
{
    const x86_op_mem *memory = &operand->mem;
    use->addresses |= bit_of(memory->base) | bit_of(memory->index);
    if (found->id == X86_INS_LEA || found->id == X86_INS_NOP)
        return;
    /* Some versions of the decoder do not tell; then it is the first operand that is written. */
    unsigned access = operand->access;
    if (!access)
        access = operand == found->detail->x86.operands ? CS_AC_WRITE : CS_AC_READ;
    use->offset = (uint64_t)memory->disp;
    if (memory->base == X86_REG_RIP)
        use->offset += found->address + found->size;
    use->reads_memory |= (access & CS_AC_READ) != 0;
    use->writes_memory |= (access & CS_AC_WRITE) != 0;
    if ((memory->base == X86_REG_RSP || memory->base == X86_REG_RBP) &&
        memory->index == X86_REG_INVALID) {
        use->of_frame = true;
        use->slot = (int32_t)((uint64_t)memory->disp << 1) | (memory->base == X86_REG_RBP);
    }
}

void register_use_find(size_t decoder, const cs_insn *found, struct register_use *use)
{
    const cs_x86 *detail = &found->detail->x86;
    cs_regs reads, writes;
    uint8_t read_count = 0, write_count = 0;
    uint32_t operands = 0;
    *use = (struct register_use){0};
    for (uint8_t i = 0; i < detail->op_count; i++)
        if (detail->operands[i].type == X86_OP_MEM)
            use_memory(found, &detail->operands[i], use);
        else if (detail->operands[i].type == X86_OP_REG)
            operands |= bit_of(detail->operands[i].reg);
    if (cs_regs_access(decoder, found, reads, &read_count, writes, &write_count) != CS_ERR_OK)
        return;
    for (uint8_t i = 0; i < write_count; i++)
        use->writes |= bit_of(writes[i]);
    for (uint8_t i = 0; !is_zero(found) && i < read_count; i++)
        use->reads |= bit_of(reads[i]);
    /* What only says where the memory is goes into nothing that is stored there. */
    use->reads &= ~use->addresses | operands;
    if (found->id >= X86_INS_CMOVA && found->id <= X86_INS_CMOVS)
        use->reads |= use->writes;
}
