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

#include "tool.h"

#include "pub_tool_debuginfo.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_machine.h"

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
    struct seen_access seen[SEEN_MOST];
    unsigned seen_count;
};

/* --- expressions ------------------------------------------------------------------- */

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

/* Does this instruction leave the stack pointer at `address` + `distance`? */
static bool moves_stack(const struct block *block, const IRExpr *address, int64_t distance)
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

/* Is it the top of the stack, as this instruction finds it? */
static bool is_stack_top(const struct block *block, const IRExpr *address)
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

static IRExpr *word(uint64_t value)
{
    return IRExpr_Const(IRConst_U64(value));
}

/* --- calls to the tool --------------------------------------------------------------- */

static void add_call(struct block *block, IRDirty *call, IRExpr *guard)
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

static void add_access(struct block *block, IRExpr *address, uint32_t size, bool write,
                       IRExpr *guard)
{
    if (!block->recorded || block->locked || size == 0)
        return;
    if (!guard && repeated(block, address, size, write))
        return;
    uint64_t place = PLACE(block->pc, size > 255 ? 255 : size);
    IRExpr **arguments = mkIRExprVec_2(address, word(place));
    IRDirty *call =
        write ? unsafeIRDirty_0_N(2, "access_store", VG_(fnptr_to_fnentry)(access_store), arguments)
              : unsafeIRDirty_0_N(2, "access_load", VG_(fnptr_to_fnentry)(access_load), arguments);
    add_call(block, call, guard);
}

/* Before the statement: an access that a schedule may hold back leaves for the gate,
 * and its instruction is begun again. That is possible as long as the instruction has
 * changed nothing. */
static void add_gate(struct block *block, int at, IRExpr *address, uint32_t size, unsigned op)
{
    if (!tool_gate || !block->recorded || !size || size > 255)
        return;
    for (int i = block->first; i < at; i++) {
        const IRStmt *earlier = block->in->stmts[i];
        if (earlier->tag == Ist_Store || earlier->tag == Ist_CAS || earlier->tag == Ist_Dirty ||
            (earlier->tag == Ist_Put && earlier->Ist.Put.offset != block->layout->offset_IP))
            return;
    }
    IRTemp wanted = newIRTemp(block->out->tyenv, Ity_I64);
    IRExpr **arguments = mkIRExprVec_3(address, word(PLACE(block->pc, size)), word(op));
    add_call(block,
             unsafeIRDirty_1_N(wanted, 3, "access_gated", VG_(fnptr_to_fnentry)(access_gated),
                               arguments),
             NULL);
    IRTemp leaves = newIRTemp(block->out->tyenv, Ity_I1);
    addStmtToIRSB(block->out,
                  IRStmt_WrTmp(leaves, IRExpr_Binop(Iop_CmpNE64, IRExpr_RdTmp(wanted), word(0))));
    addStmtToIRSB(block->out, IRStmt_Exit(IRExpr_RdTmp(leaves), Ijk_Boring, IRConst_U64(tool_gate),
                                          block->layout->offset_IP));
}

/* --- statements ------------------------------------------------------------------------ */

static uint32_t size_of(const struct block *block, const IRExpr *data)
{
    return (uint32_t)sizeofIRType(typeOfIRExpr(block->in->tyenv, data));
}

static bool is_call(const struct block *block, const IRExpr *data)
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

/* A load that is neither a return, nor a pop, nor linkage. */
static bool is_access(const struct block *block, const IRExpr *address)
{
    bool is_return = block->in->jumpkind == Ijk_Ret && block->last + 1 == block->in->stmts_used;
    return !is_return && !moves_stack(block, address, 8) && !is_linkage(address);
}

static void do_load(struct block *block, IRExpr *address, IRType type)
{
    if (is_access(block, address))
        add_access(block, address, (uint32_t)sizeofIRType(type), false, NULL);
}

static void do_store(struct block *block, IRExpr *address, const IRExpr *data)
{
    if (is_call(block, data)) {
        IRExpr **arguments = mkIRExprVec_2(address, word(block->next));
        add_call(block,
                 unsafeIRDirty_0_N(2, "access_call", VG_(fnptr_to_fnentry)(access_call), arguments),
                 NULL);
    } else if (!moves_stack(block, address, 0)) {
        add_access(block, address, size_of(block, data), true, NULL);
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
    IRExpr **arguments = mkIRExprVec_1(word(PLACE(block->pc, 0)));
    add_call(block,
             unsafeIRDirty_0_N(1, "atomic_fence_made", VG_(fnptr_to_fnentry)(atomic_fence_made),
                               arguments),
             NULL);
    block->seen_count = 0;
}

static void do_exchange(struct block *block, const IRCAS *cas)
{
    if (is_stack_top(block, cas->addr)) { /* this is how compilers write a fence */
        do_fence(block);
        return;
    }
    uint32_t size = size_of(block, cas->dataLo);
    IRExpr *changed = equal(block, cas->oldLo, cas->expdLo);
    if (cas->oldHi != IRTemp_INVALID) {
        size *= 2;
        changed = assign(block, Ity_I64,
                         IRExpr_Binop(Iop_And64, changed, equal(block, cas->oldHi, cas->expdHi)));
    }
    IRExpr **arguments = mkIRExprVec_3(cas->addr, word(PLACE(block->pc, size)), changed);
    add_call(block,
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
        add_access(block, call->mAddr, (uint32_t)call->mSize, false, call->guard);
    if (writes)
        add_access(block, call->mAddr, (uint32_t)call->mSize, true, call->guard);
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
        block->last + 1 != in->stmts_used || !is_call(block, statement->Ist.Store.data))
        return;
    IRExpr **arguments = mkIRExprVec_3(statement->Ist.Store.addr, word(block->next), in->next);
    add_call(
        block,
        unsafeIRDirty_0_N(3, "access_callback", VG_(fnptr_to_fnentry)(access_callback), arguments),
        NULL);
}

/* The statement is about to be copied. */
static void announce(struct block *block, int at)
{
    const IRStmt *statement = block->in->stmts[at];
    if (statement->tag == Ist_Store && !is_call(block, statement->Ist.Store.data) &&
        !moves_stack(block, statement->Ist.Store.addr, 0))
        add_gate(block, at, statement->Ist.Store.addr, size_of(block, statement->Ist.Store.data),
                 EVENT_WRITE);
    else if (statement->tag == Ist_WrTmp && statement->Ist.WrTmp.data->tag == Iex_Load &&
             !block->locked && is_access(block, statement->Ist.WrTmp.data->Iex.Load.addr))
        add_gate(block, at, statement->Ist.WrTmp.data->Iex.Load.addr,
                 (uint32_t)sizeofIRType(statement->Ist.WrTmp.data->Iex.Load.ty), EVENT_READ);
    else if (statement->tag == Ist_CAS)
        add_gate(block, at, statement->Ist.CAS.details->addr,
                 size_of(block, statement->Ist.CAS.details->dataLo), EVENT_ATOMIC_RMW);
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
        add_access(block, load->addr, (uint32_t)sizeofIRType(loaded_type(load->cvt)), false,
                   load->guard);
        break;
    }
    case Ist_StoreG: {
        const IRStoreG *store = statement->Ist.StoreG.details;
        add_access(block, store->addr, size_of(block, store->data), true, store->guard);
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
