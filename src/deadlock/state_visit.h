/* SPDX-License-Identifier: MIT */
/* Explicit exploration, the last rung for deadlocks that are no cycles of locks: visits
 * the states that correct reorderings reach, each once, until the given events are all
 * next and stuck because of each other (model/blocking.h).
 *
 * What other rungs say by orders of events, "no signal chose this wait", "the count is
 * zero", is a matter of states here. Exact under every model, and affordable where few
 * events branch (eager.h). Several threads visit states together (walk.h). */
#ifndef PREPLAY_DEADLOCK_STATE_VISIT_H
#define PREPLAY_DEADLOCK_STATE_VISIT_H

#include "model/blocking.h"
#include "search/search.h"
#include "deadlock/walk.h"

struct state_visit;

/* The reorderings of the events before `to` that begin as observed up to `from`, which
 * `start` has executed. All are the caller's and outlive the visit. */
struct state_visit *state_visit_create(const struct rules *rules, const struct blocking *blocking,
                                       const struct machine *start, uint32_t from, uint32_t to,
                                       uint32_t jobs);
void state_visit_destroy(struct state_visit *visit);

/* Visits `states` at most (then SEARCH_EXHAUSTED). The witness ends in the events, in
 * their order, and is valid until the next call. */
enum search_answer state_visit_deadlock(struct state_visit *visit, const uint32_t *events,
                                        uint32_t count, uint64_t states,
                                        struct search_witness *witness);
/* Visits all states there are, `states` at most, and tells every deadlock of each with the way to
 * it, perhaps several times: each walker with its own context, and at the same time. True if none
 * was left out. */
typedef void state_visit_found(void *context, const uint32_t *events, uint32_t count,
                               const uint32_t *way, uint32_t length);
bool state_visit_each_deadlock(struct state_visit *visit, uint64_t states, state_visit_found *found,
                               void *const contexts[WALKERS]);
/* States that the last question visited. */
uint64_t state_visit_states(const struct state_visit *visit);

#endif
