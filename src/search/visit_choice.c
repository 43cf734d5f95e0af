/* SPDX-License-Identifier: MIT */
/* Which threads have to be tried in a state. A thread that is not where it must come is
 * asked what its next event depends on: if the event is possible, on those who still use
 * its objects; if not, on those one of whom must move before. Their next events are asked in
 * turn. What the others do meanwhile changes nothing for those asked, so it is enough
 * to try these (a persistent set; Godefroid 1996). The set with the fewest is taken. */
#include "search/visit_state.h"

bool visit_eager(const struct visit *visit, uint32_t pos)
{
    const struct uses *uses = &visit->uses;
    const struct event *event = event_at(visit->search->index, pos);
    bool failed = event->flags & EVENT_FAILED;
    uint32_t object;
    switch (event->op) {
    case EVENT_WRITE:
    case EVENT_ATOMIC_STORE:
    case EVENT_ATOMIC_RMW:
        object = uses->variables + event->object;
        return uses->start[object + 1] - uses->start[object] <= 1;
    case EVENT_ACQUIRE:
    case EVENT_ACQUIRE_READ:
    case EVENT_ACQUIRE_WRITE:
        return failed;
    case EVENT_RELEASE:
    case EVENT_RELEASE_READ:
    case EVENT_RELEASE_WRITE:
        return !uses->tried[event_lock(event)];
    case EVENT_POST:
        return !uses->tried[uses->semaphores + event->object];
    case EVENT_SEM_WAIT:
        return failed;
    case EVENT_WAIT_BEGIN:
    case EVENT_WAIT_END:
    case EVENT_SIGNAL:
    case EVENT_BROADCAST:
        return false;
    default:
        return true;
    }
}

static uint64_t bit(uint32_t thread)
{
    return UINT64_C(1) << thread;
}

/* Those who still use the object. */
static uint64_t users_left(const struct visit *visit, uint32_t object)
{
    const struct uses *uses = &visit->uses;
    uint64_t threads = 0;
    if (object == OBJECT_NONE)
        return 0;
    for (uint32_t u = uses->start[object]; u < uses->start[object + 1]; u++) {
        const struct object_user *user = &uses->users[u];
        if (uses_between(uses, user, visit->search->done[user->thread], visit->limit[user->thread]))
            threads |= bit(user->thread);
    }
    return threads;
}

static uint64_t holders(const struct visit *visit, uint32_t lock)
{
    const struct search_index *index = visit->search->index;
    uint64_t threads = 0;
    for (uint32_t thread = 0; thread < index->history->threads; thread++) {
        if (!visit_goes_on(visit, thread))
            continue;
        uint32_t node = index_held_before(index, thread, visit->search->done[thread]);
        for (; node != HELD_NONE; node = index->nodes[node].next)
            if (event_lock(event_at(index, index->nodes[node].acquire)) == lock)
                threads |= bit(thread);
    }
    return threads;
}

/* The threads of reads that must still see the present value of the variable; one will
 * do. */
static uint64_t reader_of(const struct visit *visit, uint32_t variable)
{
    const struct search *search = visit->search;
    const struct search_index *index = search->index;
    uint32_t last = schedule_memory(search, variable)->last;
    const struct event_lists *lists = last == POS_NONE ? &index_with(index, INDEX_READERS)->initial
                                                       : &index_with(index, INDEX_READERS)->readers;
    uint32_t key = last == POS_NONE ? variable : last;
    for (uint32_t i = lists->start[key]; i < lists->start[key + 1]; i++)
        if (in_set(search, lists->items[i]) && !was_executed(search, lists->items[i]) &&
            is_bound(search, lists->items[i]))
            return bit(thread_at(index, lists->items[i]));
    return 0;
}

static uint64_t depends_on(const struct visit *visit, uint32_t pos, enum block block, uint32_t what)
{
    const struct uses *uses = &visit->uses;
    uint32_t objects[2];
    switch (block) {
    case BLOCK_NONE:
        uses_objects(uses, event_at(visit->search->index, pos), objects);
        return users_left(visit, objects[0]) | users_left(visit, objects[1]);
    case BLOCK_EVENT:
        return bit(thread_at(visit->search->index, what));
    case BLOCK_LOCK:
        return holders(visit, what);
    case BLOCK_READER:
        return reader_of(visit, what);
    case BLOCK_TRY:
        return users_left(visit, what);
    case BLOCK_COUNT:
        return users_left(visit, uses->semaphores + what);
    case BLOCK_SIGNAL:
        return users_left(visit, uses->conditions + what);
    case BLOCK_VALUE:
        return users_left(visit, uses->variables + what);
    default:
        return 0;
    }
}

/* The set of threads that `set` depends on and whose next events are possible; just one
 * of them if that is an event that only makes more possible. */
static uint64_t persistent(struct visit *visit, uint64_t set)
{
    uint64_t asked = 0, possible = 0;
    while (set & ~asked) {
        uint32_t thread = (uint32_t)__builtin_ctzll(set & ~asked), what = POS_NONE;
        asked |= bit(thread);
        if (!visit_goes_on(visit, thread))
            continue;
        visit->search->steps++;
        uint32_t pos = visit_next(visit, thread);
        enum block block = visit_blocked(visit, pos, &what);
        if (block == BLOCK_NONE && visit_eager(visit, pos))
            return bit(thread);
        if (block == BLOCK_NONE)
            possible |= bit(thread);
        set |= depends_on(visit, pos, block, what);
    }
    return possible;
}

uint64_t visit_choose(struct visit *visit)
{
    const struct search *search = visit->search;
    uint64_t best = 0, unfinished = 0;
    for (uint32_t thread = 0; thread < search->index->history->threads; thread++)
        if (search->done[thread] < search->cut[thread])
            unfinished |= bit(thread);
    if (!unfinished) { /* all are there, but a target lacks its signal */
        for (uint32_t thread = 0; thread < search->index->history->threads; thread++)
            unfinished |= bit(thread);
        return persistent(visit, unfinished);
    }
    for (; unfinished; unfinished &= unfinished - 1) {
        uint64_t set = persistent(visit, unfinished & -unfinished);
        if (!best || __builtin_popcountll(set) < __builtin_popcountll(best))
            best = set;
        if (!(best & (best - 1)))
            break;
    }
    return best;
}
