/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is added to the program's code: calls to the tool, and ways out to the gate. */
#include "block.h"

#include "pub_tool_machine.h"

IRExpr *block_word(uint64_t value)
{
    return IRExpr_Const(IRConst_U64(value));
}

void block_add_call(struct block *block, IRDirty *call, IRExpr *guard)
{
    if (guard)
        call->guard = guard;
    /* The helpers take off returned frames by the stack pointer. */
    call->nFxState = 1;
    call->fxState[0].fx = Ifx_Read;
    call->fxState[0].offset = (UShort)block->layout->offset_SP;
    call->fxState[0].size = (UShort)block->layout->sizeof_SP;
    call->fxState[0].nRepeats = 0;
    call->fxState[0].repeatLen = 0;
    addStmtToIRSB(block->out, IRStmt_Dirty(call));
}

static bool repeated(struct block *block, const IRExpr *address, uint32_t size, bool write)
{
    if (address->tag != Iex_RdTmp)
        return false;
    IRTemp where = address->Iex.RdTmp.tmp;
    for (unsigned i = 0; i < block->seen_count; i++)
        if (block->seen[i].address == where && block->seen[i].size == size &&
            block->seen[i].write == write)
            return true;
    if (block->seen_count < SEEN_MOST)
        block->seen[block->seen_count++] = (struct seen_access){where, size, write};
    return false;
}

static void add_atomic(struct block *block, IRExpr **arguments, bool write, IRExpr *guard)
{
    IRDirty *call = write ? unsafeIRDirty_0_N(2, "atomic_move_store",
                                              VG_(fnptr_to_fnentry)(atomic_move_store), arguments)
                          : unsafeIRDirty_0_N(2, "atomic_move_load",
                                              VG_(fnptr_to_fnentry)(atomic_move_load), arguments);
    block_add_call(block, call, guard);
    block->seen_count = 0;
}

void block_add_access(struct block *block, IRExpr *address, uint32_t size, bool write,
                      IRExpr *guard)
{
    if (!block->recorded || block->locked || size == 0)
        return;
    uint64_t place = PLACE(block->pc, size > 255 ? 255 : size);
    IRExpr **arguments = mkIRExprVec_2(address, block_word(place));
    if (block->atomic) {
        add_atomic(block, arguments, write, guard);
        return;
    }
    if (!guard && repeated(block, address, size, write))
        return;
    IRDirty *call =
        write ? unsafeIRDirty_0_N(2, "access_store", VG_(fnptr_to_fnentry)(access_store), arguments)
              : unsafeIRDirty_0_N(2, "access_load", VG_(fnptr_to_fnentry)(access_load), arguments);
    block_add_call(block, call, guard);
}

void block_add_gate(struct block *block, int at, IRExpr *address, uint32_t size, unsigned op)
{
    if (!tool_gate || !block->recorded || !size || size > 255)
        return;
    for (int i = block->first; i < at; i++) {
        const IRStmt *earlier = block->in->stmts[i];
        if (earlier->tag == Ist_Store || earlier->tag == Ist_CAS || earlier->tag == Ist_Dirty ||
            (earlier->tag == Ist_Put && earlier->Ist.Put.offset != block->layout->offset_IP))
            return;
    }
    if (block->atomic && op != EVENT_ATOMIC_RMW)
        op = op == EVENT_WRITE ? EVENT_ATOMIC_STORE : EVENT_ATOMIC_LOAD;
    IRTemp wanted = newIRTemp(block->out->tyenv, Ity_I64);
    IRExpr **arguments = mkIRExprVec_3(address, block_word(PLACE(block->pc, size)), block_word(op));
    block_add_call(block,
                   unsafeIRDirty_1_N(wanted, 3, "access_gated", VG_(fnptr_to_fnentry)(access_gated),
                                     arguments),
                   NULL);
    IRTemp leaves = newIRTemp(block->out->tyenv, Ity_I1);
    addStmtToIRSB(block->out, IRStmt_WrTmp(leaves, IRExpr_Binop(Iop_CmpNE64, IRExpr_RdTmp(wanted),
                                                                block_word(0))));
    addStmtToIRSB(block->out, IRStmt_Exit(IRExpr_RdTmp(leaves), Ijk_Boring, IRConst_U64(tool_gate),
                                          block->layout->offset_IP));
}
