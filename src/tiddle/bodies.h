/* SPDX-License-Identifier: MIT */
/* The functions of a generated program: one a thread, one an atomic block, one a
 * once-routine. Private to the generator. */
#ifndef PREPLAY_TIDDLE_BODIES_H
#define PREPLAY_TIDDLE_BODIES_H

#include "tiddle/operations.h"

/* A block that is entered several times is one function with several bodies, so
 * that its name stays the label's. */
struct body {
    enum object_class class; /* CLASS_THREAD, CLASS_LABEL or CLASS_ONCE */
    uint32_t object;
    uint32_t call; /* from 1; of a label: which of its entries */
    char *text;
    size_t length;
};

struct bodies {
    struct body *items;
    size_t count, capacity;
    uint32_t *calls;           /* by label: how often it is entered */
    uint32_t *entered;         /* by label: how many entries are written */
    const char **barrier_name; /* by barrier instance */
};

/* `lines_of`: the file that #line directives name, or NULL for none. */
void bodies_write(struct bodies *bodies, const struct plan *plan, struct identifiers *identifiers,
                  bool strict, const char *lines_of);
void bodies_free(struct bodies *bodies);

#endif
