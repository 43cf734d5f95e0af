/* SPDX-License-Identifier: MIT */
/* The C statement that performs one operation. Private to the generator. */
#ifndef PREPLAY_TIDDLE_OPERATIONS_H
#define PREPLAY_TIDDLE_OPERATIONS_H

#include "tiddle/identifiers.h"
#include "tiddle/plan.h"

#include <stdio.h>

struct operation_writer {
    FILE *out;
    const struct plan *plan;
    struct identifiers *identifiers;
    bool strict; /* the order is enforced, so that outcomes can be asserted */
};

/* Without `;`. Not for waits, barriers, blocks and the begin and end of once. */
void operation_write(struct operation_writer *writer, uint32_t pos);

/* How C writes a number of a variable's type, long. */
void operation_write_value(FILE *out, uint64_t value);

#endif
