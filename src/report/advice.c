/* SPDX-License-Identifier: MIT */
#include "report/advice.h"

#include "base/array.h"
#include "base/map.h"
#include "report/frames.h"
#include "report/nature.h"
#include "report/object_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ids ARRAY_OF(uint32_t);
struct flags ARRAY_OF(bool);

/* A place of the program that accesses a variable, in all its executions. */
struct site {
    uint32_t location, next; /* of the same variable; SITE_NONE ends */
    bool atomic;
    struct ids always, ever; /* locks held */
};

#define SITE_NONE UINT32_MAX

struct sites ARRAY_OF(struct site);

struct advice {
    struct sites sites;
    struct map first; /* variable -> its first site */
    struct map outer; /* locks inside which another was taken */
};

/* What a thread holds, and how. */
struct mine {
    struct ids locks;
    struct flags reading;
};

static bool has(const struct ids *ids, uint32_t id)
{
    size_t i = 0;
    while (i < ids->count && ids->items[i] != id)
        i++;
    return i < ids->count;
}

static void follow(struct advice *self, struct mine *mine, const struct event *event)
{
    uint32_t lock = event_lock(event);
    if (event_acquires(event)) {
        for (size_t i = 0; i < mine->locks.count; i++)
            *map_at(&self->outer, mine->locks.items[i], NULL) = 1;
        array_push(&mine->locks, lock);
        array_push(&mine->reading, event->op == EVENT_ACQUIRE_READ);
    } else if (event_releases(event)) {
        for (size_t i = mine->locks.count; i-- > 0;)
            if (mine->locks.items[i] == lock) {
                mine->locks.items[i] = mine->locks.items[--mine->locks.count];
                mine->reading.items[i] = mine->reading.items[--mine->reading.count];
                return;
            }
    }
}

static struct site *site_at(struct advice *self, uint64_t *first, const struct event *event,
                            bool *fresh)
{
    for (uint32_t at = (uint32_t)*first; at != SITE_NONE; at = self->sites.items[at].next)
        if (self->sites.items[at].location == event->location)
            return &self->sites.items[at];
    struct site site = {.location = event->location, .next = (uint32_t)*first};
    *fresh = true;
    *first = self->sites.count;
    array_push(&self->sites, site);
    return &array_last(&self->sites);
}

/* A lock that is held for reading protects what reads. */
static void access(struct advice *self, uint64_t *first, const struct mine *mine,
                   const struct event *event)
{
    bool fresh = false, writes = op_in(event->op, OPS_WRITING);
    struct site *site = site_at(self, first, event, &fresh);
    struct ids held = {0};
    for (size_t i = 0; i < mine->locks.count; i++)
        if (!writes || !mine->reading.items[i])
            array_push(&held, mine->locks.items[i]);
    for (size_t i = 0; i < held.count; i++) {
        if (!has(&site->ever, held.items[i]))
            array_push(&site->ever, held.items[i]);
        if (fresh)
            array_push(&site->always, held.items[i]);
    }
    for (size_t i = site->always.count; i-- > 0;)
        if (!has(&held, site->always.items[i]))
            site->always.items[i] = site->always.items[--site->always.count];
    site->atomic = (fresh || site->atomic) && op_in(event->op, OPS_ATOMIC);
    array_free(&held);
}

static void walk(struct advice *self, const struct history *history, struct mine *threads)
{
    uint64_t others = 0; /* threads that were created and not joined: alone, nobody needs a lock */
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (op_in(event->op, OPS_ACCESS)) {
            uint64_t *first = others ? map_find(&self->first, event->object) : NULL;
            if (first)
                access(self, first, &threads[event->thread], event);
        } else if (event->op == EVENT_FORK) {
            others++;
        } else if (event->op == EVENT_JOIN) {
            others -= others > 0;
        } else if (op_in(event->op, OPS_ACQUIRING | OPS_RELEASING)) {
            follow(self, &threads[event->thread], event);
        }
    }
}

struct advice *advice_create(const struct history *history, const struct finding *const *findings,
                             size_t count)
{
    struct advice *self = NEW(struct advice);
    for (size_t i = 0; i < count; i++)
        if (findings[i]->kind == FINDING_RACE && findings[i]->object_class == CLASS_VARIABLE)
            *map_at(&self->first, findings[i]->object, NULL) = SITE_NONE;
    if (!self->first.count)
        return self;
    struct mine *threads = NEW_ARRAY(struct mine, history->threads);
    walk(self, history, threads);
    for (uint32_t i = 0; i < history->threads; i++) {
        array_free(&threads[i].locks);
        array_free(&threads[i].reading);
    }
    free(threads);
    return self;
}

void advice_destroy(struct advice *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < self->sites.count; i++) {
        array_free(&self->sites.items[i].always);
        array_free(&self->sites.items[i].ever);
    }
    array_free(&self->sites);
    map_free(&self->first);
    map_free(&self->outer);
    free(self);
}

/* Is the site of `event` the only one without `lock`? (UINT32_MAX: that is not atomic.) */
static bool is_only_one(const struct advice *self, uint32_t variable,
                        const struct finding_event *event, uint32_t lock)
{
    const uint64_t *first = map_find(&self->first, variable);
    uint32_t others = 0, own = 0;
    for (uint32_t at = first ? (uint32_t)*first : SITE_NONE; at != SITE_NONE;) {
        const struct site *site = &self->sites.items[at];
        bool is_own = site->location == event->location;
        if (lock == UINT32_MAX ? site->atomic == is_own
            : is_own           ? has(&site->ever, lock)
                               : !has(&site->always, lock))
            return false;
        (is_own ? &own : &others)[0]++;
        at = site->next;
    }
    return own && others;
}

/* The lock that `event` lacks; UINT32_MAX if none is certain. */
static uint32_t lacking(const struct advice *self, const struct held *all_held,
                        const struct finding *finding, uint32_t i)
{
    const struct finding_event *event = &finding->events[i];
    const struct held_lock *held, *wanted;
    size_t count = held_at(all_held, finding->events[1 - i].pos, &wanted);
    bool holds = held_at(all_held, event->pos, &held) > 0;
    for (size_t k = 0; k < count; k++)
        if ((!holds || !map_find(&self->outer, wanted[k].lock)) &&
            is_only_one(self, finding->object, event, wanted[k].lock))
            return wanted[k].lock;
    return UINT32_MAX;
}

static char *sentence(const struct history *history, const struct held *held,
                      const struct finding *finding, uint32_t i, uint32_t lock)
{
    const struct finding_event *event = &finding->events[i];
    const char *function, *place;
    char *text = NULL;
    frame_own(history->trace, event->location, event->stack, &function, &place);
    char *where = function ? demangle_short(function) : NULL;
    char *name = lock == UINT32_MAX ? NULL : object_name(history->trace, CLASS_LOCK, lock);
    bool checked = strcmp(nature_of(history, held, finding), "double-checked locking") == 0;
    int length =
        asprintf(&text, "%s%s at %s%s%s%s%s, as every other %s%s",
                 name ? "take " : "make the access", name ? name : "", place_base(place),
                 where ? " (" : "", where ? where : "", where ? ")" : "", name ? "" : " atomic",
                 name ? "access does" : "is", checked ? ", or make all of them atomic" : "");
    free(name);
    free(where);
    return length < 0 ? NULL : text;
}

char *advice_for(const struct advice *self, const struct history *history, const struct held *held,
                 const struct finding *finding)
{
    if (!self || finding->kind != FINDING_RACE || finding->event_count != 2 || finding->rule ||
        finding->object_class != CLASS_VARIABLE)
        return NULL;
    /* Where either could follow the other, nobody knows which is right. */
    uint32_t locks[2], odd = 0, which = 0;
    for (uint32_t i = 0; i < 2; i++) {
        locks[i] = lacking(self, held, finding, i);
        if (locks[i] == UINT32_MAX &&
            !is_only_one(self, finding->object, &finding->events[i], UINT32_MAX))
            continue;
        odd++;
        which = i;
    }
    return odd == 1 ? sentence(history, held, finding, which, locks[which]) : NULL;
}
