/* SPDX-License-Identifier: MIT */
/* The code of atomic operations in a C++ program, as its debug information knows it.
 *
 * Where std::atomic lies on the heap or on a stack, no variable tells that it is one
 * (symbols/atomic_variables.h). But its operations are functions of the C++ library's
 * headers, and for each of them, inlined or not, the debug information has the
 * machine code. */
#ifndef PREPLAY_SYMBOLS_ATOMIC_CODE_H
#define PREPLAY_SYMBOLS_ATOMIC_CODE_H

#include <elfutils/libdw.h>
#include <stdio.h>

/* Writes a line "@ LOW HIGH" (hexadecimal, as linked; HIGH is behind the last byte) for every
 * run of such code, in order. Returns how many. */
unsigned atomic_code_write(Dwarf *dwarf, FILE *file);

#endif
