/* SPDX-License-Identifier: MIT */
/* Source lines, functions and data symbols for the addresses of a recorded run,
 * from its load map (`modules`, written by the runtime) and the debug
 * information of the files named there. Looks lazily, answers are kept. A module
 * whose file is gone or was rebuilt (another build-id) has no names. */
#ifndef PREPLAY_SYMBOLS_SYMBOLS_H
#define PREPLAY_SYMBOLS_SYMBOLS_H

#include "base/md5.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbols;

/* Never fails: without a load map nothing has a name. */
struct symbols *symbols_open(const char *modules_path);
void symbols_close(struct symbols *symbols);

/* The source place of the call that returns to `pc`: "path:line:column" or as
 * much as is known, at worst "module+0x1234" or "0x7f...". Of code that was inlined from a
 * library's header it is the program's own line that is told. */
const char *symbols_line(struct symbols *symbols, uint64_t pc);
/* The same without the directory that the build and the source share, so that it does
 * not depend on where the program was built. */
const char *symbols_stable_line(struct symbols *symbols, uint64_t pc);
/* The same in words that an edit elsewhere does not change: file, functions, and which of its like
 * the call is in them (debug_rank.h). From the binary alone, for ids. */
const char *symbols_identity(struct symbols *symbols, uint64_t pc);
/* Directories where the code was built, or where what was compiled lies, as far as places were
 * asked for: NULL after the last. */
const char *symbols_build(const struct symbols *symbols, uint32_t number);
/* Is it the checksum of a source of the modules that were asked about so far? */
bool symbols_vouch_for(const struct symbols *symbols, const uint8_t sum[MD5_BYTES]);
/* The function around it, or NULL. */
const char *symbols_function(struct symbols *symbols, uint64_t pc);
/* The frames that the compiler made one by inlining, `level` 0 the innermost: the function
 * (or NULL) and the place in it. False after the last; level 0 is always there. */
bool symbols_frame(struct symbols *symbols, uint64_t pc, uint32_t level, const char **function,
                   const char **place);
/* Is all code at `pc` the C++ library's (or one that it stands on), so that only the caller tells
 * what it is about? */
bool symbols_is_library(struct symbols *symbols, uint64_t pc);
/* Is the C++ library there? If not, nothing is its. */
bool symbols_has_library(const struct symbols *symbols);
/* Is the code at `pc` in a file whose accesses are not recorded, while those of another one are?
 * (Where none is instrumented, either all accesses are recorded or none.) */
bool symbols_is_unseen(struct symbols *symbols, uint64_t pc);
/* The file that holds the code at `pc`, and the offset from its load address; NULL
 * if the load map does not tell. */
const char *symbols_module(struct symbols *symbols, uint64_t pc, uint64_t *offset);
/* The same for who reads that code: NULL also if the file is gone or was rebuilt. The text is the
 * same for all code of a file. */
const char *symbols_code(struct symbols *symbols, uint64_t pc, uint64_t *offset);
/* The global variable at `address` and the offset into it, or NULL. */
const char *symbols_data(struct symbols *symbols, uint64_t address, uint64_t *offset);
/* What a variable of the program's file held at the start: the number of `length` bytes there;
 * false if it is not known (initial_data.h). */
bool symbols_initial(struct symbols *symbols, uint64_t address, uint64_t length, uint64_t *value);
/* What of that variable lies there, `length` bytes long (0: not known): ".height", "[2].lock+4"
 * (debug_members.h). False if only the offset is known. */
bool symbols_member(struct symbols *symbols, uint64_t address, uint64_t length, char *path,
                    size_t size);

#endif
