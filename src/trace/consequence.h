/* SPDX-License-Identifier: MIT */
/* What a program did after an error was reached, in words, one entry for each order of the two
 * accesses that was run. */
#ifndef PREPLAY_TRACE_CONSEQUENCE_H
#define PREPLAY_TRACE_CONSEQUENCE_H

#include <stdint.h>

#define CONSEQUENCE_ANY UINT32_MAX

struct consequence_order {
    uint32_t first; /* which event of the finding came first; CONSEQUENCE_ANY: there is no order */
    const char *rule; /* how it failed (finding_rule_find()); NULL: it ended as the recorded run */
    const char *text; /* one line: how it ended */
    const char *values; /* one line: what was read and written, or NULL */
    const char *stack;  /* where it failed, a frame a line: function, tab, place; or NULL */
};

struct consequence {
    struct consequence_order *orders;
    uint32_t count;
};

/* Copies the texts of `order`; what was known of the same order goes. */
void consequence_set(struct consequence *consequence, const struct consequence_order *order);
/* 0: no failure; then another output, another exit code, and all the rest. */
int consequence_severity(const char *rule);
/* The order that failed, the worse one if both did, or NULL. */
const struct consequence_order *consequence_failure(const struct consequence *consequence);
struct consequence consequence_copy(const struct consequence *consequence);
void consequence_free(struct consequence *consequence);

#endif
