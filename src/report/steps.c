/* SPDX-License-Identifier: MIT */
#include "report/steps.h"

#include "base/array.h"
#include "report/object_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct steps ARRAY_OF(struct step);

const char *step_verb(enum event_op op)
{
    static const char *const verbs[EVENT_COUNT] = {
        [EVENT_START] = "starts",
        [EVENT_END] = "ends",
        [EVENT_FORK] = "creates",
        [EVENT_JOIN] = "joins",
        [EVENT_READ] = "reads",
        [EVENT_WRITE] = "writes",
        [EVENT_ATOMIC_LOAD] = "loads",
        [EVENT_ATOMIC_LOOK] = "loads",
        [EVENT_ATOMIC_STORE] = "stores",
        [EVENT_ATOMIC_RMW] = "updates",
        [EVENT_FENCE] = "fence",
        [EVENT_ALLOC] = "allocates",
        [EVENT_FREE] = "frees",
        [EVENT_ACQUIRE] = "locks",
        [EVENT_RELEASE] = "unlocks",
        [EVENT_ACQUIRE_READ] = "read-locks",
        [EVENT_RELEASE_READ] = "read-unlocks",
        [EVENT_ACQUIRE_WRITE] = "write-locks",
        [EVENT_RELEASE_WRITE] = "write-unlocks",
        [EVENT_WAIT_BEGIN] = "waits for",
        [EVENT_WAIT_END] = "woken by",
        [EVENT_SIGNAL] = "signals",
        [EVENT_BROADCAST] = "broadcasts",
        [EVENT_BARRIER_ENTER] = "enters",
        [EVENT_BARRIER_EXIT] = "leaves",
        [EVENT_POST] = "posts",
        [EVENT_SEM_WAIT] = "takes",
        [EVENT_ONCE_BEGIN] = "once begins",
        [EVENT_ONCE_END] = "once ends",
        [EVENT_ONCE_PASS] = "once passes",
        [EVENT_BLOCK_BEGIN] = "begins",
        [EVENT_BLOCK_END] = "ends",
        [EVENT_BRANCH] = "branches",
        [EVENT_DESTROY] = "destroys",
        [EVENT_BAD_RELEASE] = "unlocks",
        [EVENT_BAD_ACQUIRE] = "locks",
        [EVENT_BAD_WAIT] = "waits with",
        [EVENT_BAD_JOIN] = "joins",
        [EVENT_CONDITION_DESTROY] = "destroys",
        [EVENT_BARRIER_DESTROY] = "destroys",
        [EVENT_SEMAPHORE_DESTROY] = "destroys",
        [EVENT_DETACH] = "detaches",
        [EVENT_BAD_CALL] = "breaks the rule",
    };
    return verbs[op];
}

bool step_waits(enum event_op op)
{
    return !op_in(op, OPS_ACQUIRING) || op == EVENT_WAIT_END;
}

int step_text(char *text, size_t size, const struct trace *trace, const struct event *event,
              bool blocks)
{
    enum object_class class = event_object_class(event->op);
    const char *verb = step_verb(event->op);
    if (event->flags & EVENT_FREES)
        verb = "frees";
    if (blocks || event->flags & EVENT_WISH)
        verb = step_waits(event->op) ? "waits for" : "wants";
    if (event->flags & EVENT_FAILED && event->op != EVENT_WAIT_END && event->op != EVENT_DESTROY)
        verb = "fails to lock";
    if (class == CLASS_NONE)
        return snprintf(text, size, "%s", verb);
    char *name = object_name(trace, class, event->object);
    int length = snprintf(text, size, "%s %s", verb, name);
    free(name);
    return length;
}

static bool is_error(const struct finding *finding, uint32_t pos)
{
    for (uint32_t i = 0; i < finding->event_count; i++)
        if (finding->events[i].pos == pos)
            return true;
    return false;
}

/* Accesses and blocks matter to a reader only where they are the error. */
static bool is_remarkable(const struct event *event)
{
    return op_in(event->op, OPS_SYNC & ~OPS_ATOMIC);
}

/* The reader's own mark for a wait that was not necessary (trace/recorded/skipped_waits.h): the
 * program has no such operation. */
static bool is_invented(const struct history *history, const struct event *event)
{
    static const uint64_t once =
        OP_BIT(EVENT_ONCE_BEGIN) | OP_BIT(EVENT_ONCE_END) | OP_BIT(EVENT_ONCE_PASS);
    return op_in(event->op, once) && strcmp(history->trace->format->name, "binary") == 0 &&
           strstr(trace_name(history->trace, event_object_class(event->op), event->object),
                  ":signal:");
}

static void leave_out(struct steps *steps, size_t most)
{
    if (!most || steps->count <= most || most < 4)
        return;
    size_t head = most / 4, tail = most - head - 1;
    size_t left_out = steps->count - head - tail;
    steps->items[head] = (struct step){.gap = true, .count = (uint32_t)left_out};
    memmove(steps->items + head + 1, steps->items + steps->count - tail,
            tail * sizeof *steps->items);
    steps->count = most;
}

struct step *steps_create(const struct history *history, const struct finding *finding, size_t most,
                          size_t *count)
{
    struct steps steps = {0};
    for (uint32_t i = 0; i < finding->witness_length; i++) {
        uint32_t pos = finding->witness[i];
        const struct event *event = &history->events[pos];
        struct step step = {.pos = pos, .count = 1, .place = i};
        step.error = is_error(finding, pos);
        if (!step.error && is_invented(history, event))
            continue;
        struct step *last = steps.count ? &array_last(&steps) : NULL;
        if (last && !step.error && !last->error && !is_remarkable(event) &&
            !is_remarkable(&history->events[last->pos]) &&
            history->events[last->pos].thread == event->thread)
            last->count++;
        else
            array_push(&steps, step);
    }
    leave_out(&steps, most);
    *count = steps.count;
    return steps.items;
}

/* --- the recorded order -------------------------------------------------------------- */

enum { IN_WITNESS = 1, BEGINS_STEP = 2 };

struct recorded {
    uint8_t *marks;   /* by pos */
    bool *has_thread; /* by thread: it is in the witness */
    uint32_t end;     /* behind the last event of the witness */
};

static void mark(struct recorded *self, const struct history *history,
                 const struct finding *finding, const struct step *steps, size_t count)
{
    self->marks = NEW_ARRAY(uint8_t, history_total(history));
    self->has_thread = NEW_ARRAY(bool, history->threads);
    for (uint32_t i = 0; i < finding->witness_length; i++) {
        uint32_t pos = finding->witness[i];
        self->marks[pos] |= IN_WITNESS;
        self->has_thread[history->events[pos].thread] = true;
        if (self->end <= pos)
            self->end = pos + 1;
    }
    for (size_t i = 0; i < count; i++)
        self->marks[steps[i].pos] |= BEGINS_STEP;
}

struct step *steps_recorded(const struct history *history, const struct finding *finding,
                            const struct step *witness, size_t witness_count, size_t *count)
{
    struct recorded recorded = {0};
    struct steps steps = {0};
    mark(&recorded, history, finding, witness, witness_count);
    for (uint32_t pos = 0; pos < recorded.end; pos++) {
        const struct event *event = &history->events[pos];
        struct step step = {.pos = pos, .count = 1, .place = pos};
        step.error = is_error(finding, pos);
        if (!recorded.has_thread[event->thread] || (!step.error && is_invented(history, event)))
            continue;
        step.outside = !(recorded.marks[pos] & IN_WITNESS);
        struct step *last = steps.count ? &array_last(&steps) : NULL;
        if (last && !step.error && !last->error && !(recorded.marks[pos] & BEGINS_STEP) &&
            last->outside == step.outside && !is_remarkable(event) &&
            !is_remarkable(&history->events[last->pos]) &&
            history->events[last->pos].thread == event->thread)
            last->count++;
        else
            array_push(&steps, step);
    }
    free(recorded.marks);
    free(recorded.has_thread);
    *count = steps.count;
    return steps.items;
}

/* --- many steps ------------------------------------------------------------------------ */

/* Threads come and go as steps of their own: the picture hangs on them. */
static bool may_hide(const struct history *history, const struct step *step)
{
    static const uint64_t shown =
        OP_BIT(EVENT_START) | OP_BIT(EVENT_END) | OP_BIT(EVENT_FORK) | OP_BIT(EVENT_JOIN);
    return !step->error && !step->gap && !op_in(history->events[step->pos].op, shown);
}

static bool may_join(const struct history *history, const struct step *a, const struct step *b)
{
    return may_hide(history, a) && may_hide(history, b) && a->outside == b->outside &&
           history->events[a->pos].thread == history->events[b->pos].thread;
}

void steps_collapse(const struct history *history, struct step *steps, size_t *count, size_t most)
{
    size_t kept = 0, total = *count;
    if (total > most) {
        for (size_t i = 0; i < total; i++) {
            struct step *last = kept ? &steps[kept - 1] : NULL;
            if (last && i + most / 2 < total && may_join(history, last, &steps[i])) {
                last->count += steps[i].count;
                last->segment = true;
            } else {
                steps[kept++] = steps[i];
            }
        }
        total = kept;
    }
    struct steps list = {.items = steps, .count = total, .capacity = total};
    leave_out(&list, most);
    *count = list.count;
}
