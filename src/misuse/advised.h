/* SPDX-License-Identifier: MIT */
/* What is dubious in the recorded run, though no error: threads that nobody joins or detaches, and
 * signals by who has not had the waiters' mutex, so that one who has just looked may miss them. */
#ifndef PREPLAY_MISUSE_ADVISED_H
#define PREPLAY_MISUSE_ADVISED_H

#include "misuse/told.h"

struct advised;

struct advised *advised_create(misuse_tell *tell, void *context);
void advised_destroy(struct advised *advised);

void advised_step(struct advised *advised, const struct event *event, uint32_t pos);
void advised_finish(struct advised *advised);

#endif
