/* SPDX-License-Identifier: MIT */
#include "cli/tiddle_orders.h"

#include "base/memory.h"
#include "tiddle/equivalent.h"
#include "tiddle/sample.h"

#include <stdlib.h>

struct orders {
    struct equivalents *all; /* or */
    struct sampler *sampler;
    uint64_t left, most;
    bool limited;
};

struct orders *orders_create(const struct history *history, uint64_t wanted, uint64_t seed)
{
    struct orders *orders = NEW(struct orders);
    orders->left = wanted;
    orders->most = UINT64_MAX;
    if (wanted == UINT64_MAX)
        orders->all = equivalents_create(history);
    else
        orders->sampler = sampler_create(history, seed);
    return orders;
}

void orders_destroy(struct orders *orders)
{
    if (orders->all)
        equivalents_destroy(orders->all);
    if (orders->sampler)
        sampler_destroy(orders->sampler);
    free(orders);
}

void orders_limit(struct orders *orders, uint64_t most)
{
    orders->most = most;
}

bool orders_were_limited(const struct orders *orders)
{
    return orders->limited;
}

const uint32_t *orders_next(void *source)
{
    struct orders *orders = source;
    if (orders->left == 0)
        return NULL;
    const uint32_t *order =
        orders->all ? equivalents_next(orders->all) : sampler_next(orders->sampler);
    if (order && orders->most == 0) {
        orders->limited = true;
        return NULL;
    }
    orders->left--;
    orders->most--;
    return order;
}
