/* SPDX-License-Identifier: MIT */
#include "replay/foretold.h"

#include "base/memory.h"
#include "trace/schedule.h"
#include "trace/turns.h"

#include <stdlib.h>
#include <string.h>

/* The way through a witness: which write each variable holds, and what each thread has flipped. */
struct walk {
    const struct history *history;
    struct finding full;
    uint32_t place, prefix;
    uint32_t *held;    /* by variable: pos of the last write, plus one */
    uint64_t *flips;   /* by thread: hash of its flips; 0: none */
    uint32_t *flipped; /* by thread: location of the last one */
};

static void walk_begin(struct walk *walk, const struct history *history,
                       const struct finding *finding)
{
    *walk = (struct walk){
        .history = history,
        .full = finding_in_full(finding, history),
        .held = NEW_ARRAY(uint32_t, history->variables),
        .flips = NEW_ARRAY(uint64_t, history->threads),
        .flipped = NEW_ARRAY(uint32_t, history->threads),
    };
    walk->prefix = walk->full.witness_length - finding_ends(&walk->full);
}

static void walk_end(struct walk *walk, const struct finding *finding)
{
    finding_full_free(&walk->full, finding);
    free(walk->held);
    free(walk->flips);
    free(walk->flipped);
}

/* The next event, which is not performed yet; NULL at the end. */
static const struct event *walk_event(const struct walk *walk)
{
    return walk->place < walk->full.witness_length
               ? &walk->history->events[walk->full.witness[walk->place]]
               : NULL;
}

/* Is the next event one that a replay waits for, or stands before? */
static bool walk_is_awaited(const struct walk *walk)
{
    const struct event *event = walk_event(walk);
    return walk->place >= walk->prefix ||
           (op_in(event->op, OPS_SCHEDULED) && !(event->flags & EVENT_IMPLIED));
}

/* Performs it. */
static void walk_step(struct walk *walk)
{
    uint32_t pos = walk->full.witness[walk->place];
    const struct event *event = &walk->history->events[pos];
    bool access = op_in(event->op, OPS_ACCESS) && pos < walk->history->count;
    if (walk->place++ >= walk->prefix || !access)
        return;
    /* POS_NONE plus one is 0, as the beginning is. */
    uint32_t *held = &walk->held[event->object], seen = walk->history->reads_from[pos] + 1;
    if (event_reads(event) && *held != seen) {
        uint64_t *flips = &walk->flips[event->thread];
        *flips = map_mix(*flips * 31 + map_pair(pos, *held)) | 1;
        walk->flipped[event->thread] = event->location;
    }
    if (event_writes(event))
        *held = pos + 1;
}

/* An event that is awaited, after what its thread has flipped. */
static uint64_t lesson_of(const struct walk *walk)
{
    const struct event *event = walk_event(walk);
    return map_mix(walk->flips[event->thread] ^ walk->full.witness[walk->place]) >> 1;
}

/* Operations are numbered in their threads; the accesses of the error have no number. */
static bool is_reached(const struct walk *walk, uint32_t index)
{
    const struct event *event = walk_event(walk);
    return walk->place >= walk->prefix || (walk_is_awaited(walk) && event->value >= index);
}

static bool walk_to(struct walk *walk, const char *thread, uint32_t index)
{
    const struct trace *trace = walk->history->trace;
    for (; walk_event(walk); walk_step(walk))
        if (is_reached(walk, index) &&
            strcmp(trace_name(trace, CLASS_THREAD, walk_event(walk)->thread), thread) == 0)
            return true;
    return false;
}

bool foretold_learn(struct foretold *foretold, const struct history *history,
                    const struct finding *finding, const char *thread, uint32_t index)
{
    struct walk walk;
    walk_begin(&walk, history, finding);
    bool found = walk_to(&walk, thread, index);
    uint32_t who = found ? walk_event(&walk)->thread : 0;
    bool learnt = found && walk.flips[who];
    if (learnt) {
        map_at(&foretold->lessons, lesson_of(&walk), NULL);
        map_at(&foretold->blamed, walk.flipped[who], NULL);
    }
    walk_end(&walk, finding);
    return learnt;
}

enum foretelling foretold_ask(const struct foretold *foretold, const struct history *history,
                              const struct finding *finding)
{
    enum foretelling answer = FORETOLD_NOTHING;
    struct walk walk;
    const struct event *event;
    bool sound = finding->model != MODEL_SYNC && finding->model != MODEL_NONE;
    if (!foretold->lessons.count || sound)
        return answer;
    walk_begin(&walk, history, finding);
    for (; answer != FORETOLD_LEFT && (event = walk_event(&walk)); walk_step(&walk)) {
        if (!walk.flips[event->thread] || !walk_is_awaited(&walk))
            continue;
        if (map_find(&foretold->lessons, lesson_of(&walk)))
            answer = FORETOLD_LEFT;
        else if (map_find(&foretold->blamed, walk.flipped[event->thread]))
            answer = FORETOLD_DOUBTFUL;
    }
    walk_end(&walk, finding);
    return answer;
}

void foretold_free(struct foretold *foretold)
{
    map_free(&foretold->lessons);
    map_free(&foretold->blamed);
}
