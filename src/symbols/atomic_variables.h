/* SPDX-License-Identifier: MIT */
/* The atomic variables of a program, as its debug information knows them.
 *
 * On x86-64 an atomic load and most atomic stores are plain moves: a recorder of
 * binaries cannot tell them from others. Where the program has debug information,
 * its variables' types can. */
#ifndef PREPLAY_SYMBOLS_ATOMIC_VARIABLES_H
#define PREPLAY_SYMBOLS_ATOMIC_VARIABLES_H

/* Writes the program's path, then a line "ADDRESS SIZE" (hexadecimal, as linked) for every atomic
 * scalar in a variable with a fixed address, then those of symbols/atomic_code.h. Whatever cannot
 * be read has none. */
void atomic_variables_write(const char *program, const char *path);

#endif
