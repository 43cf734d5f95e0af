/* SPDX-License-Identifier: MIT */
/* MD5 (RFC 1321): the checksum of source files in DWARF 5. Nothing here relies on its being hard
 * to forge. */
#ifndef PREPLAY_BASE_MD5_H
#define PREPLAY_BASE_MD5_H

#include <stddef.h>
#include <stdint.h>

enum { MD5_BYTES = 16 };

void md5(const void *bytes, size_t length, uint8_t sum[MD5_BYTES]);

#endif
