/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an instruction does, told from its statements. */
#include "block.h"

#include "pub_tool_debuginfo.h"

/* An address as a temporary plus an offset. */
struct linear {
    IRTemp base;
    int64_t offset;
};

static struct linear resolve(const struct block *block, const IRExpr *expression)
{
    struct linear result = {IRTemp_INVALID, 0};
    if (expression->tag != Iex_RdTmp)
        return result;
    result.base = expression->Iex.RdTmp.tmp;
    for (const IRExpr *is; (is = block->definitions[result.base]);) {
        if (is->tag == Iex_RdTmp) {
            result.base = is->Iex.RdTmp.tmp;
            continue;
        }
        if (is->tag != Iex_Binop ||
            (is->Iex.Binop.op != Iop_Add64 && is->Iex.Binop.op != Iop_Sub64) ||
            is->Iex.Binop.arg1->tag != Iex_RdTmp || is->Iex.Binop.arg2->tag != Iex_Const)
            break;
        int64_t by = (int64_t)is->Iex.Binop.arg2->Iex.Const.con->Ico.U64;
        result.offset += is->Iex.Binop.op == Iop_Add64 ? by : -by;
        result.base = is->Iex.Binop.arg1->Iex.RdTmp.tmp;
    }
    return result;
}

bool block_moves_stack(const struct block *block, const IRExpr *address, int64_t distance)
{
    struct linear where = resolve(block, address);
    for (int i = block->first; i <= block->last; i++) {
        const IRStmt *statement = block->in->stmts[i];
        if (statement->tag != Ist_Put || statement->Ist.Put.offset != block->layout->offset_SP)
            continue;
        struct linear to = resolve(block, statement->Ist.Put.data);
        if (where.base != IRTemp_INVALID && to.base == where.base &&
            to.offset == where.offset + distance)
            return true;
    }
    return false;
}

bool block_is_stack_top(const struct block *block, const IRExpr *address)
{
    struct linear where = resolve(block, address);
    if (where.base == IRTemp_INVALID)
        return false;
    for (int i = block->first; i-- > 0;) {
        const IRStmt *statement = block->in->stmts[i];
        if (statement->tag == Ist_Put && statement->Ist.Put.offset == block->layout->offset_SP) {
            struct linear top = resolve(block, statement->Ist.Put.data);
            return top.base == where.base && top.offset == where.offset;
        }
    }
    const IRExpr *base = block->definitions[where.base];
    return base && base->tag == Iex_Get && base->Iex.Get.offset == block->layout->offset_SP &&
           !where.offset;
}

uint32_t block_size_of(const struct block *block, const IRExpr *data)
{
    return (uint32_t)sizeofIRType(typeOfIRExpr(block->in->tyenv, data));
}

bool block_is_call(const struct block *block, const IRExpr *data)
{
    return data->tag == Iex_Const && data->Iex.Const.con->tag == Ico_U64 &&
           data->Iex.Const.con->Ico.U64 == block->next;
}

/* Linkage: what the dynamic linker has put there. */
static bool is_linkage(const IRExpr *address)
{
    if (address->tag != Iex_Const)
        return false;
    VgSectKind kind = VG_(DebugInfo_sect_kind)(NULL, address->Iex.Const.con->Ico.U64);
    return kind == Vg_SectGOT || kind == Vg_SectGOTPLT;
}

bool block_is_access(const struct block *block, const IRExpr *address)
{
    bool is_return = block->in->jumpkind == Ijk_Ret && block->last + 1 == block->in->stmts_used;
    return !is_return && !block_moves_stack(block, address, 8) && !is_linkage(address);
}
