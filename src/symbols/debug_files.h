/* SPDX-License-Identifier: MIT */
/* Finds the debug information of a recorded module, offline: in its own file, in a file
 * apart that .gnu_debuglink or the build-id names, or, if the module's file is gone or was
 * rebuilt, by the recorded build-id alone. */
#ifndef PREPLAY_SYMBOLS_DEBUG_FILES_H
#define PREPLAY_SYMBOLS_DEBUG_FILES_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

/* Where to look, for the whole process; set once, before the first trace is opened.
 * `directories` (colon-separated, may be NULL) come before /usr/lib/debug; debuginfod's
 * servers are asked only on request. The text must stay. */
void debug_files_look_in(const char *directories, bool debuginfod);

/* For a process that runs, with the same search; dwfl_end() afterwards. NULL: it failed. */
Dwfl *debug_files_live(void);

struct debug_file {
    Dwfl *dwfl; /* of this module alone: a rebuilt file and its debug file may overlap */
    Dwfl_Module *module;
};

/* `id` is the build-id in hexadecimal, or "-". False if nothing fits. */
bool debug_file_open(struct debug_file *file, const char *path, const char *id, uint64_t bias);
void debug_file_close(struct debug_file *file);

#endif
