/* SPDX-License-Identifier: MIT */
#include "search/learn.h"

void learn_begin(struct search *search, const struct walls *walls)
{
    search->walls = walls;
    search->learned.count = 0;
    visit_forget(search);
}

void learn_end(struct search *search, struct walls *learned)
{
    for (size_t i = 0; i < search->learned.count; i++)
        array_push(learned, search->learned.items[i]);
    search->walls = NULL;
}

static bool keeps_all(const struct search *search)
{
    return search->query.goal < SEARCH_ATOMICITY && search->index->model != MODEL_BRANCH;
}

bool learn_refutes(const struct search *search)
{
    uint32_t threads = search->index->history->threads;
    if (!keeps_all(search) || (!search->learned.count && (!search->walls || !search->walls->count)))
        return false;
    for (uint32_t i = 0; i < search->query.count; i++) {
        struct wall wall = {.staying = thread_at(search->index, search->query.events[i])};
        wall.stays = search->ceiling[wall.staying];
        for (wall.going = 0; wall.going < threads; wall.going++) {
            wall.goes = search->cut[wall.going];
            if (wall.going != wall.staying && wall.goes &&
                (walls_refute(&search->learned, wall) ||
                 (search->walls && walls_refute(search->walls, wall))))
                return true;
        }
    }
    return false;
}

/* Is there no way for the one thread to come so far while the other does not go beyond
 * where it is to stay? `furthest` is how far it came, if that says anything. */
static bool is_wall(struct search *search, const struct wall *wall, uint64_t budget,
                    uint32_t *furthest)
{
    const struct search_index *index = search->index;
    uint32_t target = history_pos(index->history, wall->going, wall->goes);
    struct search_query query = {SEARCH_NEXT, &target, 1, budget};
    *furthest = wall->goes;
    search_begin(search, &query);
    search->by_clocks = index_clocks(index) != NULL;
    if (!search_stop(search, target))
        return false;
    cone_add(search, wall->staying);
    search->ceiling[wall->staying] = wall->stays;
    if (!closure_complete(search) || closure_contradicts(search))
        return true;
    if (visit_solve(search) != SEARCH_REFUTED)
        return false;
    *furthest = visit_furthest(search, wall->going);
    return true;
}

/* A wall, and then a closer one: right behind where the thread came to. */
static void learn_wall(struct search *search, struct wall wall, uint64_t budget)
{
    enum { CLOSER_MAX = 3 };
    uint32_t furthest;
    for (int i = 0; i < CLOSER_MAX && is_wall(search, &wall, budget, &furthest); i++) {
        walls_add(&search->learned, wall);
        if (furthest + 1 >= wall.goes)
            return;
        wall.goes = furthest + 1;
    }
}

void learn_from(struct search *search, uint64_t steps)
{
    enum { WORTH_LEARNING = 2048 };
    const struct history *history = search->index->history;
    struct search_query query = search->query;
    if (!keeps_all(search) || query.count != 2 || (steps < WORTH_LEARNING && !search->by_states))
        return;
    for (uint32_t i = 0; i < query.count; i++) {
        uint32_t stays = query.events[i], goes = query.events[1 - i];
        struct wall wall = {thread_at(search->index, stays), thread_at(search->index, goes),
                            history->index[stays], history->index[goes]};
        learn_wall(search, wall, 2 * steps + WORTH_LEARNING);
    }
}
