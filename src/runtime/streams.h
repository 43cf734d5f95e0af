/* SPDX-License-Identifier: MIT */
/* Standard streams that stand on a pipe or a socket: what the C library reads and writes inside is
 * not seen, so that input from such a stream counts as received, and output to it as sent. */
#ifndef PREPLAY_RUNTIME_STREAMS_H
#define PREPLAY_RUNTIME_STREAMS_H

#include <stdint.h>
#include <stdio.h>

/* Before output; after input, of which nothing came if `ended`. */
void stream_output(FILE *file, uintptr_t pc);
void stream_input(FILE *file, int ended, uintptr_t pc);

#endif
