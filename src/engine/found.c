/* SPDX-License-Identifier: MIT */
#include "engine/found.h"

struct finding found_any(const struct engine_run *run, enum finding_kind kind, enum model model,
                         struct finding_event *events, uint32_t count)
{
    bool sound = model != MODEL_NONE && model != MODEL_SYNC;
    return (struct finding){
        .kind = kind,
        .model = model,
        .verdict = sound ? VERDICT_PREDICTED : VERDICT_CANDIDATE,
        .engine = run->engine->name,
        .object_class = CLASS_NONE,
        .block = INTERN_NONE,
        .events = events,
        .event_count = count,
    };
}

struct finding found_race(const struct engine_run *run, enum model model, uint32_t variable,
                          struct finding_event events[2])
{
    struct finding finding = found_any(run, FINDING_RACE, model, events, 2);
    finding.object_class = CLASS_VARIABLE;
    finding.object = variable;
    return finding;
}

struct finding found_deadlock(const struct engine_run *run, enum model model,
                              const struct event *first, struct finding_event *events,
                              uint32_t count)
{
    struct finding finding = found_any(run, FINDING_DEADLOCK, model, events, count);
    bool mutex = first->op == EVENT_WAIT_END; /* which the wait takes back */
    finding.object_class = mutex ? CLASS_LOCK : event_object_class(first->op);
    finding.object = mutex ? first->other : first->object;
    return finding;
}

void found_events(struct finding_event *events, const struct history *history, const uint32_t *pos,
                  uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        finding_event_fill(&events[i], &history->events[pos[i]], pos[i], history->index[pos[i]]);
}
