/* SPDX-License-Identifier: MIT */
/* What condition variables and semaphores were like at any place of the observed run: so that a
 * schedule that begins there need not go through what came before. */
#ifndef PREPLAY_SEARCH_PAST_STATES_H
#define PREPLAY_SEARCH_PAST_STATES_H

#include "trace/condition.h"
#include "trace/history.h"

struct past_states;

struct past_states *past_states_create(const struct history *history);
void past_states_destroy(struct past_states *states);

/* The condition variable after all events before `pos`; `to` must be empty. */
void past_states_condition(const struct past_states *states, uint32_t id, uint32_t pos,
                           struct condition *to);
/* The semaphore's count there. */
uint32_t past_states_count(const struct past_states *states, uint32_t id, uint32_t pos);
/* The operations before `pos` of the object that the event is about, as observed; NULL if it is
 * about something else. */
const uint32_t *past_states_operations(const struct past_states *states, const struct event *event,
                                       uint32_t pos, uint32_t *count);

#endif
