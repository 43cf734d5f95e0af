/* SPDX-License-Identifier: MIT */
/* What the variables of a program's file hold when it is loaded: the bytes of the file, and zeros
 * behind them. What the dynamic linker puts there (relocations) is not known. */
#ifndef PREPLAY_SYMBOLS_INITIAL_DATA_H
#define PREPLAY_SYMBOLS_INITIAL_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct initial_data;

/* NULL if the file cannot be read. */
struct initial_data *initial_data_open(const char *path);
void initial_data_close(struct initial_data *data);

/* The number of `length` bytes (8 at most) at an address, as linked; false if it is not known. */
bool initial_data_read(const struct initial_data *data, uint64_t address, size_t length,
                       uint64_t *value);

#endif
