/* SPDX-License-Identifier: MIT */
#include "relations/cp.h"

#include "base/memory.h"
#include "relations/cp_skeleton.h"
#include "relations/hb_walk.h"

#include <stdlib.h>

struct cp {
    const struct history *history;
    struct cp_skeleton skeleton;
    struct vclock *before;  /* by thread */
    struct vclock *mutexes; /* by lock: `before` at its last release */
    uint32_t *ordered;      /* by lock: `ordered` of its last section */
    uint32_t locks, walks;
    struct hb_walk *walk; /* of the reading */
    struct race_edges_walk *edges;
    size_t next_step;
};

/* Whoever knows the release's tick has joined its clock. */
static bool join_release(struct vclock *clock, const struct cp_section *section)
{
    return vclock_get(clock, section->thread) < section->release_tick &&
           vclock_join(clock, &section->at_release);
}

static void acquire(struct cp *cp, const struct cp_section *section)
{
    struct vclock *before = &cp->before[section->thread];
    vclock_join(before, &cp->mutexes[section->lock]);
    if (section->ordered != CP_NONE)
        join_release(before, &cp->skeleton.sections[section->ordered]);
}

/* Rule (b); true if `ordered` changed in a way that matters to others. */
static bool order_sections(struct cp *cp, uint32_t number, struct vclock *before)
{
    struct cp_section *sections = cp->skeleton.sections, *section = &sections[number];
    uint32_t last = section->ordered, known = cp->ordered[section->lock];
    if (last == CP_NONE || (known != CP_NONE && known > last))
        last = known; /* what is before an earlier section is before this one */
    for (bool again = true; again;) {
        uint32_t reached = last;
        uint32_t next =
            last == CP_NONE ? cp->skeleton.first_section[section->lock] : sections[last].next;
        while (next != number &&
               sections[next].acquire_tick <= vclock_get(before, sections[next].thread)) {
            reached = next;
            next = sections[next].next;
        }
        again = reached != last && join_release(before, &sections[reached]);
        last = reached;
    }
    cp->ordered[section->lock] = last;
    bool changed = last != section->ordered;
    section->ordered = last;
    return changed && section->leaks;
}

static bool release(struct cp *cp, uint32_t number)
{
    const struct cp_section *section = &cp->skeleton.sections[number];
    struct vclock *before = &cp->before[section->thread];
    bool changed = order_sections(cp, number, before);
    vclock_copy(&cp->mutexes[section->lock], before);
    return changed;
}

/* True if something was found that belongs into the past of what went before. */
static bool take_step(struct cp *cp, const struct cp_step *step)
{
    switch (step->kind) {
    case CP_ACQUIRE:
        acquire(cp, &cp->skeleton.sections[step->what]);
        return false;
    case CP_RELEASE:
        return release(cp, step->what);
    default:
        vclock_join(&cp->before[step->thread], &cp->skeleton.arrivals[step->what]);
        return false;
    }
}

static void rewind_walk(struct cp *cp)
{
    for (uint32_t thread = 0; thread < cp->history->threads; thread++)
        vclock_clear(&cp->before[thread]);
    for (uint32_t lock = 0; lock < cp->locks; lock++) {
        vclock_clear(&cp->mutexes[lock]);
        cp->ordered[lock] = CP_NONE;
    }
    cp->next_step = 0;
}

struct cp *cp_create(const struct history *history)
{
    return cp_create_with(history, NULL);
}

struct cp *cp_create_with(const struct history *history, const struct race_edges *edges)
{
    struct cp *cp = NEW(struct cp);
    cp->history = history;
    cp->locks = trace_count(history->trace, CLASS_LOCK);
    cp->before = NEW_ARRAY(struct vclock, history->threads);
    cp->mutexes = NEW_ARRAY(struct vclock, cp->locks);
    cp->ordered = NEW_ARRAY(uint32_t, cp->locks);
    cp_skeleton_build(&cp->skeleton, history, edges);
    for (bool again = true; again; cp->walks++) {
        again = false;
        rewind_walk(cp);
        for (size_t i = 0; i < cp->skeleton.step_count; i++)
            again |= take_step(cp, &cp->skeleton.steps[i]);
    }
    rewind_walk(cp);
    cp->walk = hb_walk_create();
    cp->edges = race_edges_walk_create(edges);
    return cp;
}

void cp_destroy(struct cp *cp)
{
    if (!cp)
        return;
    for (uint32_t thread = 0; thread < cp->history->threads; thread++)
        vclock_free(&cp->before[thread]);
    for (uint32_t lock = 0; lock < cp->locks; lock++)
        vclock_free(&cp->mutexes[lock]);
    free(cp->before);
    free(cp->mutexes);
    free(cp->ordered);
    cp_skeleton_free(&cp->skeleton);
    hb_walk_destroy(cp->walk);
    race_edges_walk_destroy(cp->edges);
    free(cp);
}

uint32_t cp_walks(const struct cp *cp)
{
    return cp->walks;
}

static void take_steps_at(struct cp *cp, uint32_t pos)
{
    const struct cp_skeleton *skeleton = &cp->skeleton;
    while (cp->next_step < skeleton->step_count && skeleton->steps[cp->next_step].pos <= pos)
        take_step(cp, &skeleton->steps[cp->next_step++]);
}

void cp_enter(struct cp *cp, uint32_t pos)
{
    hb_walk_enter(cp->walk, &cp->history->events[pos]);
    race_edges_enter(cp->edges, cp->walk, &cp->history->events[pos], pos);
    take_steps_at(cp, pos);
}

const struct vclock *cp_before(const struct cp *cp, uint32_t thread)
{
    return &cp->before[thread];
}

const struct vclock *cp_happened_before(struct cp *cp, uint32_t thread)
{
    return hb_walk_clock(cp->walk, thread);
}

void cp_leave(struct cp *cp, uint32_t pos)
{
    hb_walk_leave(cp->walk, &cp->history->events[pos]);
    race_edges_leave(cp->edges, cp->walk, &cp->history->events[pos], pos);
}
