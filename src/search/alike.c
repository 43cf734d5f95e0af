/* SPDX-License-Identifier: MIT */
/* The arrays that grow with the trace: of the history, of each rung's index, and of what was made
 * of it so far. What is made later, by one question or another, each process has for itself. */
#include "base/deal.h"
#include "search/clocks.h"
#include "search/essence.h"
#include "search/index.h"
#include "search/solve.h"

static void share_numbers(struct deal *deal, uint32_t *numbers, size_t count)
{
    if (numbers)
        deal_alike(deal, numbers, count * sizeof *numbers);
}

static void share_history(struct deal *deal, const struct history *history)
{
    size_t total = history_total(history);
    deal_alike(deal, history->events, total * sizeof *history->events);
    share_numbers(deal, history->index, total);
    share_numbers(deal, history->positions, total);
    share_numbers(deal, history->reads_from, total);
    share_numbers(deal, history->syncs, history->sync_count);
}

static void share_clocks(struct deal *deal, const struct clocks *clocks,
                         const struct history *history)
{
    if (!clocks)
        return;
    share_numbers(deal, clocks->row, history->count);
    size_t rows = 0;
    for (uint32_t i = 0; i < history->count; i++)
        rows = clocks->row[i] >= rows ? (size_t)clocks->row[i] + 1 : rows;
    share_numbers(deal, clocks->ticks, rows * clocks->threads);
}

static void share_index(struct deal *deal, const struct search_index *index)
{
    const struct index_parts *parts = index->parts;
    unsigned made = atomic_load(&parts->made);
    share_numbers(deal, index->before, index->history->count);
    share_numbers(deal, index->partner, index->history->count);
    share_numbers(deal, index->observed_partners, index->history->count);
    if (made & INDEX_HELD)
        share_numbers(deal, parts->held, index->history->count);
    if (made & INDEX_CLOCKS)
        share_clocks(deal, parts->clocks, index->history);
    if (made & INDEX_PARTNER_CLOCKS)
        share_clocks(deal, parts->partner_clocks, index->history);
}

void ladder_alike(const struct ladder *ladder)
{
    if (!ladder->deal)
        return;
    share_history(ladder->deal, ladder->rungs[0]->history);
    for (uint32_t i = 0; i < ladder->count; i++) {
        share_index(ladder->deal, ladder->rungs[i]);
        const struct essence *essence = ladder->essences[i];
        if (!essence)
            continue;
        share_history(ladder->deal, essence->history);
        share_index(ladder->deal, essence->index);
        share_numbers(ladder->deal, essence->origin, essence->history->count);
    }
}
