/* SPDX-License-Identifier: MIT */
/* A finding's schedule, and the recorded order beside it. A step is a list:
 *
 *     [pos, place in its order, thread, operation, text, object, source place, count,
 *      flags, partner]            flags: 1 the error, 2 not in the schedule
 *     ... [taken], [given], [texts of the first steps inside]]     a segment has these too
 *     [count]                                                      steps left out
 *
 * Texts are numbers into the page's list, -1 is none. `partner` is what arrows go by where
 * the object is not enough: a wait's condition, a barrier's round. */
#include "base/array.h"
#include "report/frames.h"
#include "report/html_page.h"
#include "report/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_INSIDE = 8 };

static json_int_t object_text(struct page *page, enum object_class class, uint32_t object)
{
    char *name = words_object(page->trace, class, object);
    json_int_t id = page_text(page, name);
    free(name);
    return id;
}

static json_int_t partner(struct page *page, const struct event *event)
{
    switch (event->op) {
    case EVENT_WAIT_BEGIN:
    case EVENT_WAIT_END:
        return object_text(page, CLASS_CONDITION, event->object);
    case EVENT_BARRIER_ENTER:
    case EVENT_BARRIER_EXIT:
        return event->other;
    default:
        return -1;
    }
}

/* What had no effect, or did not happen, draws nothing; a wait that timed out still takes its lock
 * again. */
static const char *operation(const struct event *event)
{
    if (event->flags & EVENT_WISH)
        return "";
    if (!(event->flags & EVENT_FAILED))
        return event_op_text(op_performed(event->op));
    return event->op == EVENT_WAIT_END ? "timeout" : "";
}

static json_t *step_list(struct page *page, const struct step *step, bool blocks)
{
    const struct event *event = &page->report->history->events[step->pos];
    char text[512];
    if (step->count > 1)
        snprintf(text, sizeof text, "%u %s", step->count, step->segment ? "events" : "accesses");
    else
        step_text(text, sizeof text, page->trace, event, step->error && blocks);
    const char *function, *place;
    frame_own(page->trace, event->location, event->stack, &function, &place);
    bool lock = op_in(event->op, OPS_ACQUIRING | OPS_RELEASING);
    enum object_class class = lock ? CLASS_LOCK : event_object_class(event->op);
    json_int_t object = class == CLASS_NONE
                            ? -1
                            : object_text(page, class, lock ? event_lock(event) : event->object);
    return json_pack("[I, I, I, s, I, I, I, I, i, I]", (json_int_t)step->pos,
                     (json_int_t)step->place, page->first_thread + (json_int_t)event->thread,
                     step->segment ? "" : operation(event), page_text(page, text), object,
                     page_text(page, place), (json_int_t)step->count,
                     step->error | step->outside << 1, partner(page, event));
}

struct locks ARRAY_OF(uint32_t);

/* A lock that was taken inside is no longer held, one from before is given away. */
static void give(struct locks *given, struct locks *taken, uint32_t lock)
{
    for (size_t i = taken->count; i-- > 0;)
        if (taken->items[i] == lock) {
            taken->items[i] = array_pop(taken);
            return;
        }
    array_push(given, lock);
}

static json_t *locks_list(struct page *page, struct locks *locks)
{
    json_t *list = json_array();
    for (size_t i = 0; i < locks->count; i++)
        json_array_append_new(list, json_integer(object_text(page, CLASS_LOCK, locks->items[i])));
    array_free(locks);
    return list;
}

/* The locks that a segment leaves taken and gave away, and how it begins. */
static void add_segment(struct page *page, json_t *list, const struct step *step,
                        const uint32_t *witness)
{
    const struct history *history = page->report->history;
    uint32_t thread = history->events[step->pos].thread, seen = 0;
    struct locks taken = {0}, given = {0};
    json_t *inside = json_array();
    for (uint32_t at = step->place; seen < step->count; at++) {
        const struct event *event = &history->events[witness ? witness[at] : at];
        if (event->thread != thread) /* the recorded order has threads that are not shown */
            continue;
        if (event_acquires(event))
            array_push(&taken, event_lock(event));
        if (event_releases(event))
            give(&given, &taken, event_lock(event));
        if (seen++ < MOST_INSIDE) {
            char text[512];
            step_text(text, sizeof text, page->trace, event, false);
            json_array_append_new(inside, json_integer(page_text(page, text)));
        }
    }
    json_array_append_new(list, locks_list(page, &taken));
    json_array_append_new(list, locks_list(page, &given));
    json_array_append_new(list, inside);
}

/* `witness` is NULL for the recorded order. */
static json_t *order_json(struct page *page, const struct finding *finding,
                          const struct step *steps, size_t count, const uint32_t *witness)
{
    json_t *all = json_array();
    for (size_t i = 0; i < count; i++) {
        const struct step *step = &steps[i];
        json_t *list;
        if (step->gap) {
            list = json_pack("[I]", (json_int_t)step->count);
        } else {
            list = step_list(page, step, witness && finding_shape(finding) == FINDING_DEADLOCK);
            if (step->segment)
                add_segment(page, list, step, witness);
        }
        json_array_append_new(all, list);
    }
    return all;
}

void page_steps(struct page *page, const struct finding *finding, json_t *object)
{
    const struct history *history = page->report->history;
    size_t count, recorded_count;
    struct step *steps = steps_create(history, finding, 0, &count);
    struct step *recorded = steps_recorded(history, finding, steps, count, &recorded_count);
    steps_collapse(history, steps, &count, page->most_steps);
    steps_collapse(history, recorded, &recorded_count, page->most_steps);
    json_object_set_new(object, "steps", order_json(page, finding, steps, count, finding->witness));
    json_object_set_new(object, "recorded",
                        order_json(page, finding, recorded, recorded_count, NULL));
    free(steps);
    free(recorded);
}
