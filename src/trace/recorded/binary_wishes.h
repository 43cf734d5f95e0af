/* SPDX-License-Identifier: MIT */
/* Who waits, by the headers of the streams alone: without reading the trace. */
#ifndef PREPLAY_TRACE_RECORDED_BINARY_WISHES_H
#define PREPLAY_TRACE_RECORDED_BINARY_WISHES_H

#include <stdint.h>

struct binary_waiting {
    uint32_t threads; /* that have not ended */
    uint32_t waiting; /* of these, for something that does not come by itself */
};

/* Adds those of the process that recorded into the directory. */
void binary_waiting_count(struct binary_waiting *waiting, const char *directory);

#endif
