/* SPDX-License-Identifier: MIT */
#include "atomicity/latest.h"

void latest_free(struct latest *latest)
{
    for (enum touch_kind kind = ORDERED; kind < TOUCH_KINDS; kind++)
        array_free(&latest->since[kind]);
}

static struct access *latest_of(const struct accesses *since, uint32_t thread)
{
    for (size_t i = 0; i < since->count; i++)
        if (since->items[i].thread == thread)
            return &since->items[i];
    return NULL;
}

void latest_remember_all(struct latest *latest, enum touch_kind kind, const struct access *now)
{
    struct access *before = latest_of(&latest->since[kind], now->thread);
    if (before)
        *before = *now;
    else
        array_push(&latest->since[kind], *now);
}

void latest_remember(struct latest *latest, enum touch_kind kind, const struct access *now)
{
    if (kind != ORDERED) {
        latest_remember_all(latest, kind, now);
        return;
    }
    const struct access *read = latest_of(&latest->since[ONE], now->thread);
    if (read || !latest->ordered.mark || latest->ordered.thread != now->thread)
        latest->read_touch = read ? read->tick : 0;
    latest->ordered = *now;
    latest->since[ONE].count = latest->since[OTHER].count = 0;
}

static bool all_by(const struct accesses *accesses, uint32_t thread)
{
    return !accesses->count || (accesses->count == 1 && accesses->items[0].thread == thread);
}

uint32_t latest_unbroken(const struct latest *latest, enum touch_kind kind, uint32_t thread)
{
    bool wrote_last = latest->ordered.mark && latest->ordered.thread == thread;
    if (kind == ORDERED)
        return wrote_last && all_by(&latest->since[ONE], thread) &&
                       all_by(&latest->since[OTHER], thread)
                   ? latest->ordered.tick
                   : 0;
    if (!all_by(&latest->since[kind == ONE ? OTHER : ONE], thread))
        return 0;
    const struct access *before = latest_of(&latest->since[kind], thread);
    return before ? before->tick : kind == ONE && wrote_last ? latest->read_touch : 0;
}
