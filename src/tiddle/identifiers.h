/* SPDX-License-Identifier: MIT */
/* C identifiers for the names of a trace: the name itself where C allows it and
 * nothing else has it, otherwise something close. */
#ifndef PREPLAY_TIDDLE_IDENTIFIERS_H
#define PREPLAY_TIDDLE_IDENTIFIERS_H

#include "trace/trace.h"

struct identifiers;

struct identifiers *identifiers_create(const struct trace *trace);
void identifiers_destroy(struct identifiers *identifiers);

/* The identifier of an object; of a thread: its function's. */
const char *identifier(struct identifiers *identifiers, enum object_class class, uint32_t id);
/* A fresh identifier, like `wish`; lives as long as the table. */
const char *identifier_fresh(struct identifiers *identifiers, const char *wish);

#endif
