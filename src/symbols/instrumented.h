/* SPDX-License-Identifier: MIT */
/* Was a file compiled so that its accesses are recorded? Then it calls the recorder. */
#ifndef PREPLAY_SYMBOLS_INSTRUMENTED_H
#define PREPLAY_SYMBOLS_INSTRUMENTED_H

#include <stdbool.h>

/* False also if the file cannot be read. */
bool instrumented_file(const char *path);

#endif
