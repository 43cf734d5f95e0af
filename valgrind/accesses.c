/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What translated code reports. The fast path is the filter's answer "seen", as in
 * the runtime's hooks (src/runtime/access.c). */
#include "tool.h"

#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"

struct recorder *tool_current;
bool tool_values;
uintptr_t tool_gate;

bool host_records(uintptr_t pc)
{
    return module_is_recorded(pc);
}

void access_frames(struct recorder *self, uintptr_t pc)
{
    frames_settle(self, VG_(get_SP)(VG_(get_running_tid)()));
    frames_name(self, pc);
}

VG_REGPARM(2) void access_call(Addr stack_pointer, ULong return_address)
{
    struct recorder *self = tool_current;
    if (unlikely(!self))
        return;
    uint32_t depth = self->depth;
    while (depth && self->frames[depth - 1].pointer <= stack_pointer)
        depth--;
    if (unlikely(self->begun > depth) && recorder_enter(self)) {
        frames_return(self, depth);
        recorder_leave(self);
    }
    if (unlikely(depth >= RECORDER_FRAMES)) {
        self->depth = RECORDER_FRAMES;
        return;
    }
    struct stack_frame *frame = &self->frames[depth];
    frame->pc = return_address;
    frame->pointer = stack_pointer;
    frame->node = 0;
    self->depth = depth + 1;
}

VG_REGPARM(3) void access_callback(Addr stack_pointer, ULong return_address, Addr callee)
{
    if (tool_current && module_is_recorded(callee))
        access_call(stack_pointer, return_address);
}

/* Stores come here when they are done, so the value of either is in memory. */
static void write_one(struct recorder *self, Addr address, uint32_t size, unsigned op, uintptr_t pc)
{
    access_frames(self, pc);
    if (tool_values && op == EVENT_WRITE && size <= 8) {
        self->late_address = address;
        self->late_size = size;
        self->late_pc = pc;
        write_late_value(self);
    } else if (size <= 16) {
        write_access(self, address, size, op, pc);
    } else {
        write_range(self, address, size, op, pc);
    }
}

static __attribute__((noinline)) void access_new(Addr address, ULong place, unsigned op)
{
    struct recorder *self = tool_current;
    bool write = op == EVENT_WRITE;
    uint32_t size = PLACE_SIZE(place);
    self->gate.passed &= (uint8_t)~HOST_GATE_BIT(op); /* it has been made */
    if (write ? self->ignore_writes : self->ignore_reads)
        return;
    if (!write && address - tool_constants.low < tool_constants.high - tool_constants.low)
        return;
    if (unlikely(atomic_hinted(address)) && atomic_known(address)) {
        if (write)
            atomic_store_made(address, place);
        else
            atomic_load_made(address, place);
        return;
    }
    if (!process_recording() || !recorder_enter(self))
        return;
    if (filter_add(self, address, size, write, PLACE_PC(place)))
        write_one(self, address, size, op, PLACE_PC(place));
    recorder_leave(self);
}

/* True if the filter knows all bytes; an access across granules is not asked for. */
static inline bool seen(const struct recorder *self, Addr address, ULong place, bool write)
{
    uint32_t size = PLACE_SIZE(place);
    if (unlikely(size > 8) || unlikely((address & 7) + size > 8))
        return false;
    return filter_knows(self, address, size, write, PLACE_PC(place));
}

VG_REGPARM(2) void access_load(Addr address, ULong place)
{
    const struct recorder *self = tool_current;
    if (unlikely(!self))
        return;
    if (likely(seen(self, address, place, false)) && likely(!atomic_hinted(address)))
        return;
    access_new(address, place, EVENT_READ);
}

VG_REGPARM(2) void access_store(Addr address, ULong place)
{
    const struct recorder *self = tool_current;
    if (unlikely(!self))
        return;
    if (likely(seen(self, address, place, true)) && likely(!atomic_hinted(address)))
        return;
    access_new(address, place, EVENT_WRITE);
}

/* Compiled programs ask the enforcer where they record: the same here. */
VG_REGPARM(3) ULong access_gated(Addr address, ULong place, ULong op)
{
    struct recorder *self = tool_current;
    if (!self || !self->scheduled || self->busy)
        return 0;
    struct host_gate *gate = &self->gate;
    unsigned made = (unsigned)op;
    if (unlikely(atomic_hinted(address)) && atomic_known(address) && !op_in(made, OPS_ATOMIC))
        made = made == EVENT_WRITE ? EVENT_ATOMIC_STORE : EVENT_ATOMIC_LOAD;
    if (gate->pc == PLACE_PC(place) && gate->address == address &&
        gate->passed & HOST_GATE_BIT(made))
        return 0;
    if (!op_in(made, OPS_ATOMIC) && seen(self, address, place, made == EVENT_WRITE))
        return 0;
    if (gate->pc != PLACE_PC(place) || gate->address != address)
        gate->passed = 0;
    gate->pc = PLACE_PC(place);
    gate->resume = gate->pc - 1;
    gate->address = address;
    gate->size = PLACE_SIZE(place);
    gate->op = (uint8_t)made;
    return 1;
}
