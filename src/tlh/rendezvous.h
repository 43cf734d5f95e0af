/* SPDX-License-Identifier: MIT */
/* Moments at which two threads must meet, whatever the schedule: where one forks
 * the other, where both stand at a barrier, and where one gives the only signal
 * that there is for the other's wait. From the last of them before its targets a
 * pairwise search may start without losing anything (Ganai, section III-A). */
#ifndef PREPLAY_TLH_RENDEZVOUS_H
#define PREPLAY_TLH_RENDEZVOUS_H

#include "search/search.h"

struct rendezvous;

struct rendezvous *rendezvous_create(const struct search_index *index);
void rendezvous_destroy(struct rendezvous *rendezvous);

/* How many events each of the two threads has done, at least, at their last
 * meeting before the targets; {0, 0} if they never meet. Returns the pos after
 * which both have been there in the observed run, 0 for none. */
uint32_t rendezvous_last(struct rendezvous *rendezvous, const uint32_t targets[2],
                         uint32_t done[2]);

/* Does one target follow the return of a wait that only a signal after the other
 * target can have ended? */
bool rendezvous_ordered(const struct rendezvous *rendezvous, const uint32_t targets[2]);

#endif
