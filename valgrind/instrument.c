/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is reported and what is not:
 *
 *  - Every load and store of the program's own code (modules.c), stores after they
 *    happened, also those of instructions that Valgrind performs by a call.
 *  - Locked instructions, which Valgrind writes as a load, a compare-and-exchange and
 *    a jump back, as one atomic operation; their loads are not accesses.
 *  - Calls, told by the return address they store; in other code only those through a
 *    pointer, which may lead back into the program's. That store, the load of a return,
 *    what push saves and pop takes back are not accesses: nobody knows the address of
 *    such a slot while it is in use.
 *  - An access that repeats another one (same address expression and size) of the
 *    same superblock with nothing in between that could end the segment is left out. */
#include "instrument.h"

#include "block.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_machine.h"

static void do_load(struct block *block, IRExpr *address, IRType type)
{
    if (block_is_access(block, address))
        block_add_access(block, address, (uint32_t)sizeofIRType(type), false, NULL);
}

static void do_store(struct block *block, IRExpr *address, const IRExpr *data)
{
    if (block_is_call(block, data)) {
        IRExpr **arguments = mkIRExprVec_2(address, block_word(block->next));
        block_add_call(
            block,
            unsafeIRDirty_0_N(2, "access_call", VG_(fnptr_to_fnentry)(access_call), arguments),
            NULL);
    } else if (!block_moves_stack(block, address, 0)) {
        block_add_access(block, address, block_size_of(block, data), true, NULL);
    }
}

static IRExpr *assign(struct block *block, IRType type, IRExpr *expression)
{
    IRTemp temporary = newIRTemp(block->out->tyenv, type);
    addStmtToIRSB(block->out, IRStmt_WrTmp(temporary, expression));
    return IRExpr_RdTmp(temporary);
}

static IRExpr *equal(struct block *block, IRTemp old, IRExpr *expected)
{
    IROp op;
    switch (typeOfIRTemp(block->in->tyenv, old)) {
    case Ity_I8:
        op = Iop_CasCmpEQ8;
        break;
    case Ity_I16:
        op = Iop_CasCmpEQ16;
        break;
    case Ity_I32:
        op = Iop_CasCmpEQ32;
        break;
    default:
        op = Iop_CasCmpEQ64;
        break;
    }
    IRExpr *same = assign(block, Ity_I1, IRExpr_Binop(op, IRExpr_RdTmp(old), expected));
    return assign(block, Ity_I64, IRExpr_Unop(Iop_1Uto64, same));
}

static void do_fence(struct block *block)
{
    IRExpr **arguments = mkIRExprVec_1(block_word(PLACE(block->pc, 0)));
    block_add_call(block,
                   unsafeIRDirty_0_N(1, "atomic_fence_made",
                                     VG_(fnptr_to_fnentry)(atomic_fence_made), arguments),
                   NULL);
    block->seen_count = 0;
}

static void do_exchange(struct block *block, const IRCAS *cas)
{
    if (block_is_stack_top(block, cas->addr)) { /* this is how compilers write a fence */
        do_fence(block);
        return;
    }
    uint32_t size = block_size_of(block, cas->dataLo);
    IRExpr *changed = equal(block, cas->oldLo, cas->expdLo);
    if (cas->oldHi != IRTemp_INVALID) {
        size *= 2;
        changed = assign(block, Ity_I64,
                         IRExpr_Binop(Iop_And64, changed, equal(block, cas->oldHi, cas->expdHi)));
    }
    IRExpr **arguments = mkIRExprVec_3(cas->addr, block_word(PLACE(block->pc, size)), changed);
    block_add_call(block,
                   unsafeIRDirty_0_N(3, "atomic_exchange_made",
                                     VG_(fnptr_to_fnentry)(atomic_exchange_made), arguments),
                   NULL);
    block->seen_count = 0;
}

static void do_dirty(struct block *block, const IRDirty *call)
{
    bool reads = call->mFx == Ifx_Read || call->mFx == Ifx_Modify;
    bool writes = call->mFx == Ifx_Write || call->mFx == Ifx_Modify;
    if (reads)
        block_add_access(block, call->mAddr, (uint32_t)call->mSize, false, call->guard);
    if (writes)
        block_add_access(block, call->mAddr, (uint32_t)call->mSize, true, call->guard);
}

static IRType loaded_type(IRLoadGOp conversion)
{
    IRType widened, loaded;
    typeOfIRLoadGOp(conversion, &widened, &loaded);
    return loaded;
}

/* Code that is not recorded calls back into code that is: the start of a thread, a
 * comparison. It does so through a pointer. */
static void report_foreign(struct block *block, const IRStmt *statement)
{
    const IRSB *in = block->in;
    if (statement->tag != Ist_Store || in->jumpkind != Ijk_Call || in->next->tag != Iex_RdTmp ||
        block->last + 1 != in->stmts_used || !block_is_call(block, statement->Ist.Store.data))
        return;
    IRExpr **arguments =
        mkIRExprVec_3(statement->Ist.Store.addr, block_word(block->next), in->next);
    block_add_call(
        block,
        unsafeIRDirty_0_N(3, "access_callback", VG_(fnptr_to_fnentry)(access_callback), arguments),
        NULL);
}

/* The statement is about to be copied. */
static void announce(struct block *block, int at)
{
    const IRStmt *statement = block->in->stmts[at];
    if (statement->tag == Ist_Store && !block_is_call(block, statement->Ist.Store.data) &&
        !block_moves_stack(block, statement->Ist.Store.addr, 0))
        block_add_gate(block, at, statement->Ist.Store.addr,
                       block_size_of(block, statement->Ist.Store.data), EVENT_WRITE);
    else if (statement->tag == Ist_WrTmp && statement->Ist.WrTmp.data->tag == Iex_Load &&
             !block->locked && block_is_access(block, statement->Ist.WrTmp.data->Iex.Load.addr))
        block_add_gate(block, at, statement->Ist.WrTmp.data->Iex.Load.addr,
                       (uint32_t)sizeofIRType(statement->Ist.WrTmp.data->Iex.Load.ty), EVENT_READ);
    else if (statement->tag == Ist_CAS)
        block_add_gate(block, at, statement->Ist.CAS.details->addr,
                       block_size_of(block, statement->Ist.CAS.details->dataLo), EVENT_ATOMIC_RMW);
}

/* The original statement has been copied; now what it did. */
static void report(struct block *block, const IRStmt *statement)
{
    switch (statement->tag) {
    case Ist_WrTmp:
        if (statement->Ist.WrTmp.data->tag == Iex_Load)
            do_load(block, statement->Ist.WrTmp.data->Iex.Load.addr,
                    statement->Ist.WrTmp.data->Iex.Load.ty);
        break;
    case Ist_Store:
        do_store(block, statement->Ist.Store.addr, statement->Ist.Store.data);
        break;
    case Ist_LoadG: {
        const IRLoadG *load = statement->Ist.LoadG.details;
        block_add_access(block, load->addr, (uint32_t)sizeofIRType(loaded_type(load->cvt)), false,
                         load->guard);
        break;
    }
    case Ist_StoreG: {
        const IRStoreG *store = statement->Ist.StoreG.details;
        block_add_access(block, store->addr, block_size_of(block, store->data), true, store->guard);
        break;
    }
    case Ist_CAS:
        if (block->recorded)
            do_exchange(block, statement->Ist.CAS.details);
        break;
    case Ist_Dirty:
        do_dirty(block, statement->Ist.Dirty.details);
        break;
    case Ist_MBE:
        if (block->recorded && statement->Ist.MBE.event == Imbe_Fence)
            do_fence(block);
        break;
    default:
        break;
    }
}

/* --- superblocks ------------------------------------------------------------------------- */

static void begin_instruction(struct block *block, int at)
{
    const IRStmt *mark = block->in->stmts[at];
    block->pc = mark->Ist.IMark.addr + mark->Ist.IMark.delta;
    block->next = block->pc + mark->Ist.IMark.len;
    block->recorded = module_is_recorded(block->pc);
    block->atomic = block->recorded && atomic_code_holds(block->pc);
    block->first = block->last = at;
    block->locked = false;
    for (int i = at + 1; i < block->in->stmts_used; i++) {
        if (block->in->stmts[i]->tag == Ist_IMark)
            break;
        block->locked |= block->in->stmts[i]->tag == Ist_CAS;
        block->last = i;
    }
}

IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                 const VexGuestExtents *extents, const VexArchInfo *architecture, IRType guest_word,
                 IRType host_word)
{
    (void)closure, (void)extents, (void)architecture;
    tl_assert(guest_word == Ity_I64 && host_word == Ity_I64);
    struct block block = {.in = in, .out = deepCopyIRSBExceptStmts(in), .layout = layout};
    int count = in->tyenv->types_used;
    block.definitions = LibVEX_Alloc((SizeT)count * sizeof *block.definitions);
    for (int i = 0; i < count; i++)
        block.definitions[i] = NULL;
    for (int i = 0; i < in->stmts_used; i++)
        if (in->stmts[i]->tag == Ist_WrTmp)
            block.definitions[in->stmts[i]->Ist.WrTmp.tmp] = in->stmts[i]->Ist.WrTmp.data;
    for (int i = 0; i < in->stmts_used; i++) {
        IRStmt *statement = in->stmts[i];
        if (statement->tag == Ist_IMark)
            begin_instruction(&block, i);
        if (tool_gate && block.recorded)
            announce(&block, i);
        addStmtToIRSB(block.out, statement);
        if (block.recorded)
            report(&block, statement);
        else if (block.next)
            report_foreign(&block, statement);
    }
    return block.out;
}
