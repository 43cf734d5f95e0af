/* SPDX-License-Identifier: MIT */
#include "base/interruption.h"
#include "search/visit_state.h"

static struct visit *create(struct search *search)
{
    const struct history *history = search->index->history;
    struct visit *visit = NEW(struct visit);
    visit->search = search;
    uses_create(&visit->uses, search->index);
    visit->limit = NEW_ARRAY(uint32_t, history->threads);
    visit->rank = NEW_ARRAY(uint32_t, history->count);
    visit->furthest = NEW_ARRAY(uint32_t, history->threads);
    visit->unread = NEW_ARRAY(struct unread, trace_count(history->trace, CLASS_VARIABLE));
    return visit;
}

void visit_destroy(struct visit *visit)
{
    if (!visit)
        return;
    uses_free(&visit->uses);
    free(visit->limit);
    free(visit->rank);
    array_free(&visit->ranked);
    free(visit->furthest);
    free(visit->unread);
    free(visit->seen);
    array_free(&visit->steps);
    array_free(&visit->words);
    array_free(&visit->places);
    free(visit);
}

static bool is_empty(const struct fingerprint *one)
{
    return !(one->words[0] | one->words[1]);
}

static struct fingerprint *slot_of(const struct visit *visit, const struct fingerprint *one)
{
    size_t slot = (size_t)one->words[0] & (visit->seen_room - 1);
    while (!is_empty(&visit->seen[slot]) && memcmp(&visit->seen[slot], one, sizeof *one) != 0)
        slot = (slot + 1) & (visit->seen_room - 1);
    return &visit->seen[slot];
}

/* Makes room for one more; those of earlier questions are forgotten where there is none. */
static void make_room(struct visit *visit)
{
    if (2 * visit->seen_count < visit->seen_room)
        return;
    struct fingerprint *old = visit->seen;
    size_t room = visit->seen_room;
    visit->seen_room = room ? 2 * room : 1024;
    visit->seen = NEW_ARRAY(struct fingerprint, visit->seen_room);
    for (size_t i = 0; i < room; i++)
        if (!is_empty(&old[i]))
            *slot_of(visit, &old[i]) = old[i];
    free(old);
}

static bool was_seen(struct visit *visit)
{
    make_room(visit);
    struct fingerprint *slot = slot_of(visit, &visit->now);
    if (!is_empty(slot))
        return true;
    *slot = visit->now;
    visit->seen_count++;
    return false;
}

static void begin_question(struct visit *visit)
{
    visit->question++;
    if (4 * visit->seen_count < visit->seen_room)
        return;
    if (visit->seen_room)
        memset(visit->seen, 0, visit->seen_room * sizeof *visit->seen);
    visit->seen_count = 0;
}

/* Executes what only makes more possible, of the events that are needed. */
static void run_eagerly(struct visit *visit)
{
    const struct search *search = visit->search;
    uint32_t threads = search->index->history->threads, what;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t thread = 0; thread < threads; thread++)
            while (search->done[thread] < search->cut[thread] &&
                   visit_eager(visit, visit_next(visit, thread)) &&
                   visit_blocked(visit, visit_next(visit, thread), &what) == BLOCK_NONE) {
                visit_execute(visit, visit_next(visit, thread));
                again = true;
            }
    }
}

static bool is_goal(const struct visit *visit)
{
    const struct search *search = visit->search;
    for (uint32_t thread = 0; thread < search->index->history->threads; thread++)
        if (search->done[thread] < search->cut[thread])
            return false;
    return order_unwoken(search) == POS_NONE;
}

static void note_furthest(struct visit *visit)
{
    const uint32_t *done = visit->search->done;
    for (uint32_t thread = 0; thread < visit->search->index->history->threads; thread++)
        if (done[thread] > visit->furthest[thread])
            visit->furthest[thread] = done[thread];
}

uint32_t visit_furthest(const struct search *search, uint32_t thread)
{
    return search->visit->furthest[thread];
}

void visit_forget(struct search *search)
{
    struct visit *visit = search->visit;
    while (visit && visit->ranked.count)
        visit->rank[array_pop(&visit->ranked)] = 0;
}

/* Questions that follow each other are often alike: what led to the last witness may lead
 * close to the next. */
static void remember(struct visit *visit)
{
    const struct search *search = visit->search;
    visit_forget(visit->search);
    for (uint32_t i = 0; i < search->executed; i++) {
        visit->rank[search->order[i]] = i + 1;
        array_push(&visit->ranked, search->order[i]);
    }
}

/* In the order of the last witness; the rest after it, as observed. */
static uint64_t turn(const struct visit *visit, uint32_t thread)
{
    uint32_t pos = visit_next(visit, thread), rank = visit->rank[pos];
    return rank ? rank : (uint64_t)UINT32_MAX + pos;
}

/* Of the threads to be tried, the one whose turn it is. */
static uint32_t take_first(const struct visit *visit, struct place *place)
{
    uint32_t first = (uint32_t)__builtin_ctzll(place->threads);
    for (uint64_t rest = place->threads; rest; rest &= rest - 1) {
        uint32_t thread = (uint32_t)__builtin_ctzll(rest);
        if (turn(visit, thread) < turn(visit, first))
            first = thread;
    }
    place->threads &= ~(UINT64_C(1) << first);
    return first;
}

/* Deep first; what comes back to a state that was seen is left. */
static enum search_answer explore(struct visit *visit)
{
    const struct search *search = visit->search;
    for (;;) {
        run_eagerly(visit);
        if (is_goal(visit))
            return SEARCH_WITNESS;
        if (search->steps > search->limit || interruption_asked())
            return SEARCH_EXHAUSTED;
        note_furthest(visit);
        struct place place = {visit->steps.count, was_seen(visit) ? 0 : visit_choose(visit)};
        array_push(&visit->places, place);
        while (visit->places.count && !array_last(&visit->places).threads)
            visit->places.count--;
        if (!visit->places.count)
            return SEARCH_REFUTED;
        struct place *last = &array_last(&visit->places);
        visit_undo(visit, last->steps);
        visit_execute(visit, visit_next(visit, take_first(visit, last)));
    }
}

bool visit_can(const struct search *search)
{
    enum { THREADS_MAX = 64 };
    return search->index->model != MODEL_BRANCH && search->index->history->threads <= THREADS_MAX;
}

enum search_answer visit_solve(struct search *search)
{
    if (!visit_can(search))
        return SEARCH_EXHAUSTED;
    if (!search->visit)
        search->visit = create(search);
    struct visit *visit = search->visit;
    begin_question(visit);
    memset(visit->furthest, 0, search->index->history->threads * sizeof *visit->furthest);
    visit_limit(visit);
    visit_begin(visit);
    enum search_answer answer = explore(visit);
    if (answer == SEARCH_WITNESS)
        remember(visit);
    return answer;
}
