/* SPDX-License-Identifier: MIT */
/* What the program's code says about two instructions of a run: does a value that is read at the
 * one go into what is written at the other, or decide about it? As binary traces know it; but the
 * stepper tells no calls, so only of instructions in one function. */
#ifndef PREPLAY_EXPLORE_RUN_CODE_H
#define PREPLAY_EXPLORE_RUN_CODE_H

#include "symbols/symbols.h"
#include "trace/trace.h"

struct run_code;

/* The symbols must outlive it. The code is read when it is first asked for, once for all traces. */
struct run_code *run_code_create(struct symbols *symbols);
void run_code_destroy(struct run_code *code);

bool run_code_leads(struct run_code *code, uint64_t from, uint64_t via, uint64_t to);
bool run_code_carries(struct run_code *code, uint64_t from, uint64_t to);
bool run_code_decides(struct run_code *code, uint64_t from, uint64_t to);
bool run_code_tests(struct run_code *code, uint64_t from);
bool run_code_updates(struct run_code *code, uint64_t pc);

#endif
