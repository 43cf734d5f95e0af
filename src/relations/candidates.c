/* SPDX-License-Identifier: MIT */
#include "relations/candidates.h"

void candidates_init(struct candidates *candidates, uint32_t variables, uint32_t threads)
{
    candidates->variables = NEW_ARRAY(struct candidate_variable, variables);
    candidates->variable_count = variables;
    candidates->threads = threads;
}

static void free_thread(struct candidate_thread *thread)
{
    for (size_t i = 0; i < thread->count; i++) {
        free(thread->items[i].items);
        free(thread->items[i].settled);
    }
    free(thread->items);
    map_free(&thread->done);
}

void candidates_free(struct candidates *candidates)
{
    for (uint32_t i = 0; i < candidates->variable_count; i++) {
        struct candidate_variable *variable = &candidates->variables[i];
        for (size_t k = 0; k < variable->count; k++)
            free_thread(&variable->items[k]);
        free(variable->items);
    }
    free(candidates->variables);
}

static bool holds(const struct holding *held, uint32_t lock, bool exclusively)
{
    for (; held; held = held->outer)
        if (held->section->lock == lock && (held->section->exclusive || !exclusively))
            return true;
    return false;
}

static void start_common(struct candidate_thread *thread, const struct holding *held)
{
    for (; held && thread->common_count < COMMON_LOCKS; held = held->outer)
        if (held->section->exclusive)
            thread->common[thread->common_count++] = held->section->lock;
}

static void keep_common(struct candidate_thread *thread, const struct holding *held)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < thread->common_count; i++)
        if (holds(held, thread->common[i], true))
            thread->common[kept++] = thread->common[i];
    thread->common_count = kept;
}

bool candidates_protected(const struct candidate_thread *thread, const struct holding *held)
{
    for (uint32_t i = 0; i < thread->common_count; i++)
        if (holds(held, thread->common[i], false))
            return true;
    return false;
}

static struct candidate_thread *thread_of(struct candidate_variable *variable, uint32_t thread,
                                          const struct holding *held)
{
    for (size_t i = 0; i < variable->count; i++)
        if (variable->items[i].thread == thread) {
            keep_common(&variable->items[i], held);
            return &variable->items[i];
        }
    struct candidate_thread fresh = {.thread = thread};
    start_common(&fresh, held);
    array_push(variable, fresh);
    return &array_last(variable);
}

static struct candidate_group *group_of(struct candidate_thread *thread, const struct event *event)
{
    for (size_t i = thread->count; i-- > 0;) {
        struct candidate_group *group = &thread->items[i];
        if (group->location == event->location && group->op == event->op &&
            group->size == event->size)
            return group;
    }
    struct candidate_group fresh = {
        .location = event->location, .op = event->op, .size = event->size};
    array_push(thread, fresh);
    return &array_last(thread);
}

void candidates_add(struct candidates *candidates, const struct event *event,
                    const struct candidate *candidate, const struct holding *held)
{
    struct candidate_variable *variable = &candidates->variables[event->object];
    struct candidate_thread *thread = thread_of(variable, event->thread, held);
    thread->last_index = candidate->index;
    struct candidate_group *group = group_of(thread, event);
    group->last_index = candidate->index;
    array_push(group, *candidate);
}

void candidates_open(const struct candidates *candidates, struct candidate_group *group)
{
    if (group->settled)
        return;
    group->settled = NEW_ARRAY(uint32_t, candidates->threads);
}
