/* SPDX-License-Identifier: MIT */
/* The checksums of source files that DWARF 5 has in its line tables, where the compiler gives them
 * (clang does). A file that has one of them is a source of the module, wherever it lies. */
#ifndef PREPLAY_SYMBOLS_DEBUG_CHECKSUMS_H
#define PREPLAY_SYMBOLS_DEBUG_CHECKSUMS_H

#include "base/md5.h"

#include <elfutils/libdwfl.h>
#include <stdbool.h>

/* Is it the checksum of a source of the module? */
bool debug_checksums_have(Dwfl_Module *module, const uint8_t sum[MD5_BYTES]);

/* The same for the bytes of a section .debug_line, which may be anything. */
bool debug_checksums_find(const uint8_t *bytes, size_t size, const uint8_t sum[MD5_BYTES]);

#endif
