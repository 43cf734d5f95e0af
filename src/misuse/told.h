/* SPDX-License-Identifier: MIT */
/* How what is recognised in the events of a run is told. */
#ifndef PREPLAY_MISUSE_TOLD_H
#define PREPLAY_MISUSE_TOLD_H

#include "trace/history.h"
#include "trace/misuse_rules.h"

/* One misuse: the operation, and the one because of which it is (POS_NONE: not known). */
struct misuse_seen {
    enum misuse rule;
    uint32_t partner, pos;
};

typedef void misuse_tell(void *context, const struct misuse_seen *seen);

#endif
