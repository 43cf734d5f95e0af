/* SPDX-License-Identifier: MIT */
/* Build-ids: the linker's fingerprint of a program or library. */
#ifndef PREPLAY_SYMBOLS_BUILD_ID_H
#define PREPLAY_SYMBOLS_BUILD_ID_H

#include <stdbool.h>

enum { BUILD_ID_SIZE = 132 };

/* Of the file as it is now, in hexadecimal, "-" if it has none; false if it is no ELF file or not
 * there (errno ENOENT). */
bool build_id_read(const char *path, char text[BUILD_ID_SIZE]);

#endif
