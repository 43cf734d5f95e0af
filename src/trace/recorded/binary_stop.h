/* SPDX-License-Identifier: MIT */
/* A recording that had to stop before its program did (disk full, limit): up to where it is whole,
 * and why. */
#ifndef PREPLAY_TRACE_RECORDED_BINARY_STOP_H
#define PREPLAY_TRACE_RECORDED_BINARY_STOP_H

#include <stdint.h>

/* The last stamp that counts; UINT64_MAX if it did not stop. Then `reason` (may be NULL) is NULL,
 * otherwise one line, to be freed. */
uint64_t binary_stop_read(const char *directory, char **reason);

#endif
