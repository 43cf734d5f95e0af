/* SPDX-License-Identifier: MIT */
#include "smt/smt_cone.h"

struct handover {
    uint32_t lock, release;
};

/* Who in the cone uses a lock. */
struct lock_use {
    uint32_t round; /* the search that wrote this */
    uint32_t thread;
    bool contended; /* by another thread as well */
};

struct smt_cone {
    const struct smt_window *window;
    uint32_t *needed, *done, *limit;     /* by thread, as indices */
    uint32_t *clean_needed, *clean_done; /* `branch`: reads before these keep what they see */
    struct lock_use *locks;
    struct handovers ARRAY_OF(struct handover) waiting; /* of locks not yet contended */
    uint32_t round;
};

struct smt_cone *smt_cone_create(const struct smt_window *window)
{
    struct smt_cone *cone = NEW(struct smt_cone);
    uint32_t threads = window->history->threads;
    cone->window = window;
    cone->needed = NEW_ARRAY(uint32_t, threads);
    cone->done = NEW_ARRAY(uint32_t, threads);
    cone->limit = NEW_ARRAY(uint32_t, threads);
    cone->clean_needed = NEW_ARRAY(uint32_t, threads);
    cone->clean_done = NEW_ARRAY(uint32_t, threads);
    cone->locks = NEW_ARRAY(struct lock_use, trace_count(window->history->trace, CLASS_LOCK));
    return cone;
}

void smt_cone_destroy(struct smt_cone *cone)
{
    if (!cone)
        return;
    free(cone->needed);
    free(cone->done);
    free(cone->limit);
    free(cone->clean_needed);
    free(cone->clean_done);
    free(cone->locks);
    array_free(&cone->waiting);
    free(cone);
}

/* Events at or behind the pair cannot be executed: they are left out. */
static void need(struct smt_cone *cone, uint32_t pos)
{
    const struct history *history = cone->window->history;
    if (pos == POS_NONE || pos < cone->window->start)
        return;
    uint32_t thread = history->events[pos].thread, index = history->index[pos];
    if (index < cone->limit[thread] && cone->needed[thread] <= index)
        cone->needed[thread] = index + 1;
}

static void need_list(struct smt_cone *cone, const struct smt_lists *lists, uint32_t object)
{
    for (uint32_t i = lists->offset[object]; i < lists->offset[object + 1]; i++)
        need(cone, lists->items[i]);
}

static void use_lock(struct smt_cone *cone, uint32_t lock, uint32_t thread, uint32_t release)
{
    struct lock_use *use = &cone->locks[lock];
    if (use->round != cone->round)
        *use = (struct lock_use){cone->round, thread, false};
    if (use->thread != thread && !use->contended) {
        use->contended = true;
        for (size_t i = 0; i < cone->waiting.count; i++)
            if (cone->waiting.items[i].lock == lock)
                need(cone, cone->waiting.items[i].release);
    }
    if (use->contended)
        need(cone, release);
    else if (release != POS_NONE)
        array_push(&cone->waiting, ((struct handover){lock, release}));
}

/* A try fails while somebody holds the lock: anybody's section may serve. */
static void need_holders(struct smt_cone *cone, uint32_t lock)
{
    const struct smt_window *window = cone->window;
    for (uint32_t i = window->section_offset[lock]; i < window->section_offset[lock + 1]; i++)
        need(cone, window->sections.items[i].acquire);
}

static void need_writers(struct smt_cone *cone, uint32_t read)
{
    const struct smt_window *window = cone->window;
    uint32_t variable = window->history->events[read].object;
    need(cone, window->rules->reads_from[read]);
    if (window->rules->model != MODEL_VALUE)
        return;
    for (uint32_t i = window->writes.offset[variable]; i < window->writes.offset[variable + 1]; i++)
        if (smt_may_see(window, read, window->writes.items[i]) &&
            !smt_must(window, read, window->writes.items[i]))
            need(cone, window->writes.items[i]);
}

/* `branch`: the reads of `thread` before `index` must be as observed. */
static void need_clean(struct smt_cone *cone, uint32_t thread, uint32_t index)
{
    if (cone->clean_needed[thread] < index)
        cone->clean_needed[thread] = index;
}

static void need_as_observed(struct smt_cone *cone, uint32_t read)
{
    const struct smt_window *window = cone->window;
    need_writers(cone, read);
    uint32_t write = window->rules->reads_from[read];
    if (window->rules->model == MODEL_BRANCH && write != POS_NONE && write >= window->start)
        need_clean(cone, window->history->events[write].thread, window->history->index[write] + 1);
}

static void need_for_sync(struct smt_cone *cone, uint32_t pos, const struct event *event)
{
    const struct smt_window *window = cone->window;
    switch (event->op) {
    case EVENT_WAIT_END:
        if (!(event->flags & EVENT_FAILED))
            need_list(cone, &window->signals, event->object);
        break;
    case EVENT_SEM_WAIT:
        need_list(cone, event->flags & EVENT_FAILED ? &window->semaphore_waits : &window->posts,
                  event->object);
        break;
    default:
        break;
    }
    if (event_acquires(event))
        use_lock(cone, event_lock(event), event->thread, window->release_of[pos - window->start]);
    else if (op_in(event->op, OPS_ACQUIRING))
        need_holders(cone, event->object);
}

static void visit(struct smt_cone *cone, uint32_t pos)
{
    const struct smt_window *window = cone->window;
    const struct history *history = window->history;
    const struct event *event = &history->events[pos];
    if (event_reads(event) && smt_keeps(window, pos))
        need_as_observed(cone, pos);
    else if (event->op == EVENT_BRANCH && window->rules->model == MODEL_BRANCH)
        need_clean(cone, event->thread, history->index[pos]);
    else
        need_for_sync(cone, pos, event);
}

static bool advance(struct smt_cone *cone, uint32_t thread)
{
    const struct history *history = cone->window->history;
    bool moved = false;
    for (; cone->done[thread] < cone->needed[thread]; cone->done[thread]++) {
        visit(cone, history_pos(history, thread, cone->done[thread]));
        moved = true;
    }
    for (; cone->clean_done[thread] < cone->clean_needed[thread]; cone->clean_done[thread]++) {
        uint32_t pos = history_pos(history, thread, cone->clean_done[thread]);
        if (event_reads(&history->events[pos]))
            need_as_observed(cone, pos);
        moved = true;
    }
    return moved;
}

/* The orders that hold anyway: what must have come before an event of the cone. */
static bool follow_edges(struct smt_cone *cone)
{
    const struct smt_window *window = cone->window;
    const struct history *history = window->history;
    bool moved = false;
    for (size_t i = window->edges.count; i-- > 0;) {
        const struct smt_edge *edge = &window->edges.items[i];
        uint32_t thread = history->events[edge->to].thread;
        if (history->index[edge->to] >= cone->needed[thread])
            continue;
        uint32_t other = history->events[edge->from].thread, before = cone->needed[other];
        need(cone, edge->from);
        moved |= cone->needed[other] != before;
    }
    return moved;
}

static void start_pair(struct smt_cone *cone, const uint32_t pair[2])
{
    const struct smt_window *window = cone->window;
    const struct history *history = window->history;
    size_t bytes = history->threads * sizeof *cone->needed;
    cone->round++;
    cone->waiting.count = 0;
    memcpy(cone->needed, window->baseline, bytes);
    memcpy(cone->done, window->baseline, bytes);
    memcpy(cone->clean_needed, window->baseline, bytes);
    memcpy(cone->clean_done, window->baseline, bytes);
    memcpy(cone->limit, window->length, bytes);
    for (int i = 0; i < 2; i++) {
        uint32_t thread = history->events[pair[i]].thread;
        cone->limit[thread] = cone->needed[thread] = history->index[pair[i]];
    }
    for (int i = 0; i < 2; i++)
        need(cone, history->fork_of[history->events[pair[i]].thread]);
    for (size_t i = 0; i < window->sections.count; i++) {
        const struct smt_section *section = &window->sections.items[i];
        if (section->acquire < window->start)
            use_lock(cone, section->lock, section->thread, section->release);
    }
}

const uint32_t *smt_cone_find(struct smt_cone *cone, uint32_t first, uint32_t second)
{
    start_pair(cone, (uint32_t[]){first, second});
    bool moved = true;
    while (moved) {
        moved = false;
        for (uint32_t thread = 0; thread < cone->window->history->threads; thread++)
            moved |= advance(cone, thread);
        moved |= follow_edges(cone);
    }
    return cone->needed;
}
