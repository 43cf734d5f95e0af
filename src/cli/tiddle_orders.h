/* SPDX-License-Identifier: MIT */
/* The orders that --equivalent [N] asks for: all of them, or N at random. */
#ifndef PREPLAY_CLI_TIDDLE_ORDERS_H
#define PREPLAY_CLI_TIDDLE_ORDERS_H

#include "trace/history.h"

struct orders;

/* `wanted` is UINT64_MAX for all. */
struct orders *orders_create(const struct history *history, uint64_t wanted, uint64_t seed);
void orders_destroy(struct orders *orders);

/* No more than `most` are delivered. */
void orders_limit(struct orders *orders, uint64_t most);
bool orders_were_limited(const struct orders *orders);

/* The next order as pos values, NULL after the last; takes a struct orders. */
const uint32_t *orders_next(void *orders);

#endif
