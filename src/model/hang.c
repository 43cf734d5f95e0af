/* SPDX-License-Identifier: MIT */
#include "model/hang.h"

#include "model/hang_state.h"

#include <stdlib.h>

/* Whom a thread waits for. */
struct need {
    bool may_go;    /* what it waits for is there, or it gives up by itself */
    bool for_all;   /* any thread that is left could help */
    bool on_itself; /* it waits for itself */
    bool on_ended;  /* for `ended`, which has ended */
    uint32_t ended;
    struct who ARRAY_OF(uint32_t) who; /* each of these must act */
};

struct hanging {
    struct hang_state state;
    struct need *needs; /* by thread */
    bool *stuck;        /* by thread */
    uint32_t free;      /* threads that live and are not stuck */
    /* Tarjan's components. */
    uint32_t *number, *low; /* by thread; number 0: not visited */
    bool *open;
    uint32_t visited;
    struct path ARRAY_OF(uint32_t) path;
    bool *member; /* by thread, of the component at hand */
    struct hang *result;
};

/* --- whom it waits for --------------------------------------------------------------- */

static void need_thread(const struct hanging *self, struct need *need, uint32_t by, uint32_t thread)
{
    if (by == thread) {
        need->on_itself = true;
    } else if (self->state.ended[thread]) {
        need->on_ended = true;
        need->ended = thread;
    } else {
        array_push(&need->who, thread);
    }
}

/* Every holder must let go. A reader whom no holder stops waits for writers that came first. */
static bool need_lock(const struct hanging *self, struct need *need, uint32_t thread, uint32_t lock,
                      bool shared)
{
    const struct history *history = self->state.history;
    size_t from, to = hang_state_holds(&self->state, lock, &from);
    bool any = false;
    for (size_t i = from; i < to; i++) {
        const struct hang_hold *hold = &self->state.holds.items[i];
        if (shared && hold->shared)
            continue;
        need_thread(self, need, thread, hold->thread);
        any = true;
    }
    if (any || !shared || from == to)
        return any;
    for (uint32_t pos = history->count; pos < history_total(history); pos++) {
        const struct event *other = &history->events[pos];
        if (other->op != EVENT_ACQUIRE_WRITE || other->object != lock || other->thread == thread)
            continue;
        array_push(&need->who, other->thread);
        any = true;
    }
    return any;
}

/* That it is a lock must have shown: one that was only taken so far may be for others to post. */
static void need_semaphore(const struct hanging *self, struct need *need, const struct event *wish)
{
    const struct hang_state *state = &self->state;
    if (state->counts[wish->object] > 0)
        need->may_go = true;
    else if (state->semaphore_locks && state->semaphore_locks[wish->object] &&
             state->posted[wish->object] && state->takers[wish->object])
        need_thread(self, need, wish->thread, state->takers[wish->object] - 1);
    else
        need->for_all = true;
}

/* It returns with the mutex only; and without a signal, not at all. */
static void need_wait(const struct hanging *self, struct need *need, const struct event *wish)
{
    bool held = need_lock(self, need, wish->thread, wish->other, false);
    bool woken = wish->flags & EVENT_TRY ||
                 condition_may_wake(&self->state.conditions[wish->object], wish->thread);
    need->for_all = !woken;
    need->may_go = woken && !held;
}

static void find_need(const struct hanging *self, struct need *need, const struct event *wish)
{
    const struct hang_state *state = &self->state;
    switch (wish->op) {
    case EVENT_JOIN:
        if (state->ended[wish->object])
            need->may_go = true;
        else
            need_thread(self, need, wish->thread, wish->object);
        break;
    case EVENT_ONCE_PASS:
        if (state->inside[wish->object])
            need_thread(self, need, wish->thread, state->inside[wish->object] - 1);
        else
            need->may_go = true;
        break;
    case EVENT_SEM_WAIT:
        need_semaphore(self, need, wish);
        break;
    case EVENT_BARRIER_EXIT:
        need->may_go = state->left[state->entered[wish->thread]];
        need->for_all = !need->may_go;
        break;
    case EVENT_WAIT_END:
        need_wait(self, need, wish);
        break;
    default:
        need->may_go =
            !need_lock(self, need, wish->thread, wish->object, wish->op == EVENT_ACQUIRE_READ);
        break;
    }
    if (wish->flags & EVENT_TRY && wish->op != EVENT_WAIT_END)
        need->may_go = true;
}

/* --- who is stuck ---------------------------------------------------------------------- */

static bool stays(const struct hanging *self, uint32_t thread)
{
    const struct need *need = &self->needs[thread];
    if (need->may_go)
        return false;
    if (need->on_itself || need->on_ended)
        return true;
    for (size_t i = 0; i < need->who.count; i++)
        if (self->stuck[need->who.items[i]])
            return true;
    return need->for_all && self->free == 0;
}

static void find_stuck(struct hanging *self)
{
    const struct hang_state *state = &self->state;
    uint32_t threads = state->history->threads;
    for (uint32_t i = 0; i < threads; i++) {
        if (!state->started[i] || state->ended[i])
            continue;
        self->stuck[i] = state->wish_of[i] != POS_NONE;
        self->free += !self->stuck[i];
        if (self->stuck[i])
            find_need(self, &self->needs[i], &state->history->events[state->wish_of[i]]);
        self->result->waiting += self->stuck[i];
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < threads; i++)
            if (self->stuck[i] && !stays(self, i)) {
                self->stuck[i] = false;
                self->free++;
                changed = true;
            }
    }
    for (uint32_t i = 0; i < threads; i++)
        self->result->stuck += self->stuck[i];
}

/* --- who is to blame ------------------------------------------------------------------- */

/* Waits for `thread`'s end, or for that of one who does: it will not help before. */
static bool joins(const struct hanging *self, uint32_t by, uint32_t thread)
{
    const struct event *events = self->state.history->events;
    for (uint32_t hops = 0; hops < self->state.history->threads; hops++) {
        uint32_t wish = self->state.wish_of[by];
        if (wish == POS_NONE || events[wish].op != EVENT_JOIN)
            return false;
        by = events[wish].object;
        if (by == thread)
            return true;
    }
    return false;
}

/* One that waits in the same place for the same thing is another victim, no helper. */
static bool waits_alike(const struct hanging *self, uint32_t a, uint32_t b)
{
    const struct event *x = &self->state.history->events[self->state.wish_of[a]];
    const struct event *y = &self->state.history->events[self->state.wish_of[b]];
    return x->op == y->op && x->object == y->object && x->location == y->location;
}

/* Because of whom is `thread` stuck? The n-th of them, or POS_NONE behind the last; each
 * caller counts n up from 0. */
static uint32_t because_of(const struct hanging *self, uint32_t thread, uint32_t *n)
{
    const struct need *need = &self->needs[thread];
    uint32_t threads = self->state.history->threads;
    bool acted = false;
    if (need->on_itself || need->on_ended)
        return POS_NONE;
    for (size_t i = 0; i < need->who.count; i++)
        acted |= self->stuck[need->who.items[i]];
    uint32_t limit = acted ? (uint32_t)need->who.count : threads;
    while (*n < limit) {
        uint32_t i = (*n)++, other = acted ? need->who.items[i] : i;
        if (!self->stuck[other] || other == thread)
            continue;
        if (acted || (!joins(self, other, thread) && !waits_alike(self, other, thread)))
            return other;
    }
    return POS_NONE;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static enum hang_cause cause_of(const struct need *need)
{
    return need->on_itself  ? HANG_ITSELF
           : need->on_ended ? HANG_LEFT
           : need->for_all  ? HANG_NOBODY
                            : HANG_EACH_OTHER;
}

/* From each to one that it waits for, as far as that goes. */
static void add_set(struct hanging *self, uint32_t *threads, uint32_t count)
{
    struct hang *hang = self->result;
    struct hang_set set = {.count = count, .first = (uint32_t)hang->wishes.count};
    qsort(threads, count, sizeof *threads, by_number);
    if (count == 1) {
        set.cause = cause_of(&self->needs[threads[0]]);
        set.by = self->needs[threads[0]].ended;
    }
    uint32_t added = 0, at = threads[0];
    for (uint32_t start = 0; added < count;) {
        array_push(&hang->wishes, self->state.wish_of[at]);
        self->member[at] = false;
        added++;
        uint32_t n = 0, next;
        while ((next = because_of(self, at, &n)) != POS_NONE && !self->member[next])
            ;
        while (next == POS_NONE && start < count) {
            next = self->member[threads[start]] ? threads[start] : POS_NONE;
            start++;
        }
        at = next;
    }
    array_push(&hang->sets, set);
}

/* A component is a set if nobody of it waits for anybody outside. */
static void take_component(struct hanging *self, size_t from)
{
    uint32_t count = (uint32_t)(self->path.count - from), *threads = self->path.items + from;
    bool closed = true;
    for (uint32_t i = 0; i < count; i++)
        self->member[threads[i]] = true;
    for (uint32_t i = 0; i < count && closed; i++)
        for (uint32_t n = 0, other;
             closed && (other = because_of(self, threads[i], &n)) != POS_NONE;)
            closed = self->member[other];
    if (closed)
        add_set(self, threads, count);
    for (uint32_t i = 0; i < count; i++) {
        self->member[threads[i]] = false;
        self->open[threads[i]] = false;
    }
    self->path.count = from;
}

static void visit(struct hanging *self, uint32_t thread)
{
    size_t place = self->path.count;
    self->number[thread] = self->low[thread] = ++self->visited;
    self->open[thread] = true;
    array_push(&self->path, thread);
    for (uint32_t n = 0, other; (other = because_of(self, thread, &n)) != POS_NONE;) {
        if (!self->number[other])
            visit(self, other);
        if (self->open[other] && self->low[other] < self->low[thread])
            self->low[thread] = self->low[other];
    }
    if (self->low[thread] == self->number[thread])
        take_component(self, place);
}

struct hang *hang_find(const struct history *history)
{
    uint32_t threads = history->threads;
    if (!history->wishes)
        return NULL;
    struct hanging self = {
        .needs = NEW_ARRAY(struct need, threads),
        .stuck = NEW_ARRAY(bool, threads),
        .number = NEW_ARRAY(uint32_t, threads),
        .low = NEW_ARRAY(uint32_t, threads),
        .open = NEW_ARRAY(bool, threads),
        .member = NEW_ARRAY(bool, threads),
        .result = NEW(struct hang),
    };
    hang_state_read(&self.state, history);
    find_stuck(&self);
    for (uint32_t i = 0; i < threads; i++)
        if (self.stuck[i] && !self.number[i])
            visit(&self, i);
    for (uint32_t i = 0; i < threads; i++)
        array_free(&self.needs[i].who);
    hang_state_free(&self.state);
    free(self.needs);
    free(self.stuck);
    free(self.number);
    free(self.low);
    free(self.open);
    free(self.member);
    array_free(&self.path);
    return self.result;
}

void hang_destroy(struct hang *hang)
{
    if (!hang)
        return;
    array_free(&hang->wishes);
    array_free(&hang->sets);
    free(hang);
}

static bool is_set(const struct hang *hang, const struct hang_set *set, const uint32_t *wishes,
                   uint32_t count)
{
    for (uint32_t i = 0; i < set->count; i++) {
        uint32_t k = 0;
        while (k < count && wishes[k] != hang->wishes.items[set->first + i])
            k++;
        if (k == count)
            return false;
    }
    return set->count == count;
}

bool hang_has(const struct hang *hang, const uint32_t *wishes, uint32_t count)
{
    for (size_t i = 0; hang && i < hang->sets.count; i++)
        if (is_set(hang, &hang->sets.items[i], wishes, count))
            return true;
    return false;
}
