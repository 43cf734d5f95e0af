/* SPDX-License-Identifier: MIT */
/* How often a run stopped a thread that could have gone on. */
#ifndef PREPLAY_EXPLORE_PREEMPTIONS_H
#define PREPLAY_EXPLORE_PREEMPTIONS_H

#include "explore/knowledge.h"

/* Of the newest run; UINT32_MAX if it cannot be told, for memory changed by itself. */
uint32_t preemptions_of_last(const struct knowledge *knowledge);

#endif
