/* SPDX-License-Identifier: MIT */
/* Where the parts that go into a target lie: in the build tree next to the tool,
 * or where they were installed. PREPLAY_LIBRARY overrides. */
#ifndef PREPLAY_TARGET_LIBRARY_H
#define PREPLAY_TARGET_LIBRARY_H

#include "base/error.h"

#include <stdbool.h>

enum { LIBRARY_PATH = 4096 };

/* The directory with libpreplay.so, libpreplay_sync.so and tsan/. 0 or -1. */
int library_directory(char path[LIBRARY_PATH], struct error *error);

/* What a program file brings along, as far as it can be told from outside. */
struct program_kind {
    bool is_elf;
    bool is_dynamic;
    bool is_foreign;     /* for another processor, or for 32 bits */
    bool wants_musl;     /* linked with another C library than ours */
    bool changes_user;   /* its file has somebody else's set-user-ID or set-group-ID bit */
    bool wants_libtsan;  /* linked with gcc's shared ThreadSanitizer runtime */
    bool wants_libasan;  /* linked with gcc's shared AddressSanitizer runtime */
    bool wants_preplay;  /* linked by preplay cc */
    bool static_runtime; /* a ThreadSanitizer runtime is linked in (clang's default, gcc's
                            -static-libtsan) */
};

/* Looks a program up in PATH like execvp() and inspects it. False if not found. */
bool program_inspect(const char *name, struct program_kind *kind);

/* Looks a program up in PATH like execvp(). False if not found. */
bool program_path(const char *name, char path[LIBRARY_PATH]);

#endif
