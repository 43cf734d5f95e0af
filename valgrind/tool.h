/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recorder for unmodified binaries: a Valgrind tool.
 *
 *  main.c        what Valgrind asks of a tool; which thread runs
 *  instrument.c  adds calls to the program's code, as Valgrind translates it
 *  shapes.c      what can be told of an instruction;  additions.c  what is added to it
 *  accesses.c    what those calls do: loads, stores and calls of the program
 *  atomics.c     locked instructions, and plain ones of the same memory
 *  modules.c     whose code it is; the load map
 *  forks.c       children that share the parent's streams
 *  debug_info.c  what Valgrind need not read
 *  target.c      the other side, preloaded into the program (src/runtime/host.h)
 *  gate.c        there, too: where a replayed access waits for its turn
 *
 * The streams are written by the runtime's own code (filter.c, write.c, stream.c),
 * compiled into the tool. There is no C library here. */
#ifndef PREPLAY_VALGRIND_TOOL_H
#define PREPLAY_VALGRIND_TOOL_H

#include "pub_tool_basics.h"

#include "runtime/host.h"

/* The running thread's recorder; NULL if it is not recorded. */
extern struct recorder *tool_current;
extern bool tool_values;
struct recorder *tool_recorder(ThreadId thread);
/* No thread is recorded until the target says so again. */
void recorders_forget(void);

/* An access's place in one word: its size, and the program counter after which it
 * is looked up (one above the instruction's first byte, as return addresses are). */
#define PLACE(pc, size)   ((uint64_t)(size) << 56 | ((uint64_t)(pc) + 1))
#define PLACE_PC(place)   ((uintptr_t)((place) & ~(UINT64_C(0xff) << 56)))
#define PLACE_SIZE(place) ((uint32_t)((place) >> 56))

/* Called from translated code. Stores are reported after they happened. */
VG_REGPARM(2) void access_load(Addr address, ULong place);
VG_REGPARM(2) void access_store(Addr address, ULong place);
VG_REGPARM(2) void access_call(Addr stack_pointer, ULong return_address);
VG_REGPARM(3) void access_callback(Addr stack_pointer, ULong return_address, Addr callee);
/* A compare-and-exchange that was made, and whether it changed the memory. */
VG_REGPARM(3) void atomic_exchange_made(Addr address, ULong place, ULong changed);
VG_REGPARM(1) void atomic_fence_made(ULong place);

/* Before an access of a replayed run: true if it must go through the target's gate,
 * which the recorder then describes. */
extern uintptr_t tool_gate;
VG_REGPARM(3) ULong access_gated(Addr address, ULong place, ULong op);

/* Memory that locked instructions work on: a byte for every few addresses says
 * whether any of them is such, atomic_known() whether this one is. */
enum { ATOMIC_HINTS = 1 << 16 };
extern uint8_t atomic_hints[ATOMIC_HINTS];

static inline bool atomic_hinted(Addr address)
{
    return atomic_hints[address >> 3 & (ATOMIC_HINTS - 1)];
}

bool atomic_known(Addr address);
void atomic_declare(Addr address);
void atomic_forget(Addr address, UWord length);
/* Code that does nothing but atomic operations, in ascending order. */
void atomic_code_declare(Addr low, Addr high);
bool atomic_code_holds(Addr pc);
VG_REGPARM(2) void atomic_move_load(Addr address, ULong place);
VG_REGPARM(2) void atomic_move_store(Addr address, ULong place);

void atomic_load_made(Addr address, ULong place);
void atomic_store_made(Addr address, ULong place);

/* Before a record of code at `pc`: takes off the call frames that have returned. */
void access_frames(struct recorder *self, uintptr_t pc);

/* Code of the C library, of the dynamic linker and of the runtime is not the
 * program's: what it does to memory is recorded by interposers, or not at all. */
bool module_is_recorded(Addr code);
/* What lies there next may be something else. */
void modules_unmapped(Addr start, SizeT length);
void modules_forget(void);

/* Memory of the program that nobody can write to. */
struct constants {
    Addr low, high;
};
extern struct constants tool_constants;
/* The program changes the protection of memory. */
void constants_protected(Addr start, SizeT length, Bool read, Bool write, Bool execute);

#endif
