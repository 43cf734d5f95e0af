/* SPDX-License-Identifier: MIT */
/* Why a run failed, beside one that went well: the first choice that differs, and the read that
 * saw another write because of it. */
#ifndef PREPLAY_EXPLORE_EXPLAINING_H
#define PREPLAY_EXPLORE_EXPLAINING_H

#include "explore/failure.h"
#include "explore/knowledge.h"

/* Fills failure->explanation: in sentences, "" if no run went well. Of the runs that are known, the
 * one that does the same for the longest time is told. */
void explaining_tell(struct failure *failure, const struct knowledge *knowledge,
                     struct symbols *symbols);

#endif
