/* SPDX-License-Identifier: MIT */
/* The machine code of a program's file, as far as the flow of control goes: the functions, their
 * instructions, where each may go on, and which library function a call calls.
 *
 * Instructions are read one after the other from a function's beginning. A jump through a table
 * goes nowhere that is known. Only x86-64; every other file has no code for us. */
#ifndef PREPLAY_SYMBOLS_MACHINE_CODE_H
#define PREPLAY_SYMBOLS_MACHINE_CODE_H

#include "symbols/register_use.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine_code;

enum flow {
    FLOW_ON,     /* to the next instruction */
    FLOW_JUMP,   /* to the target */
    FLOW_BRANCH, /* to the target or the next */
    FLOW_CALL,   /* calls the target, then the next */
    FLOW_STOP,   /* returns, traps */
};

struct instruction {
    uint64_t address, end; /* as linked */
    uint64_t target;       /* 0: not known */
    enum flow flow;
    bool through_slot; /* the target is a slot that holds the address (-fno-plt) */
    struct register_use use;
    bool of_frame; /* a call whose first argument is the address of a local variable */
};

struct function_code {
    uint64_t low, high;
    const struct instruction *items; /* in order of address */
    size_t count;
};

/* NULL if the file cannot be read or is for another machine. */
struct machine_code *machine_code_open(const char *path);
void machine_code_close(struct machine_code *code);

/* The function around the address (as linked), or NULL. Valid until the code is closed. */
const struct function_code *machine_code_function(struct machine_code *code, uint64_t address);
/* The name of the function that a call or jump reaches in another file, or NULL if it stays here.
 */
const char *machine_code_import(struct machine_code *code, const struct instruction *call);

#endif
