/* SPDX-License-Identifier: MIT */
#include "report/details.h"

#include "report/frames.h"
#include "report/words.h"

static json_t *stack_json(const struct trace *trace, uint32_t location, uint32_t stack)
{
    struct frame frames[FRAMES_MOST];
    size_t count = frames_collect(frames, trace, location, stack);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *frame = json_object();
        if (frames[i].function)
            json_object_set_new(frame, "function", words_json(frames[i].function));
        json_object_set_new(frame, "location", words_json(frames[i].place));
        json_array_append_new(list, frame);
    }
    frames_free(frames, count);
    return list;
}

static json_t *held_json(const struct history *history, const struct held *held, uint32_t pos)
{
    const struct trace *trace = history->trace;
    const struct held_lock *locks;
    size_t count = held_at(held, pos, &locks);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(
            list,
            json_pack("{s:o, s:o}", "lock", words_name(trace, CLASS_LOCK, locks[i].lock),
                      "location",
                      words_json(trace_location(trace, history->events[locks[i].since].location))));
    return list;
}

void details_of_event(json_t *object, const struct history *history, const struct held *held,
                      const struct finding_event *event)
{
    json_object_set_new(object, "stack", stack_json(history->trace, event->location, event->stack));
    json_object_set_new(object, "held", held_json(history, held, event->pos));
}

static json_t *thread_json(const struct history *history, uint32_t thread)
{
    uint32_t fork = history->fork_of[thread];
    json_t *object = json_pack("{s:I, s:o}", "thread", (json_int_t)thread, "name",
                               words_json(trace_name(history->trace, CLASS_THREAD, thread)));
    if (fork == POS_NONE)
        return object;
    const struct event *event = &history->events[fork];
    json_object_set_new(object, "created_by", json_integer(event->thread));
    json_object_set_new(object, "stack", stack_json(history->trace, event->location, event->stack));
    return object;
}

json_t *details_of_threads(const struct history *history, const struct finding *finding)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < finding->event_count; i++) {
        uint32_t earlier = 0;
        while (finding->events[earlier].thread != finding->events[i].thread)
            earlier++;
        if (earlier == i)
            json_array_append_new(list, thread_json(history, finding->events[i].thread));
    }
    return list;
}
