/* SPDX-License-Identifier: MIT */
#include "replay/schedule_writer.h"

#include "base/map.h"
#include "base/memory.h"
#include "replay/access_order.h"
#include "trace/schedule.h"
#include "trace/turns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct writer {
    FILE *out;
    const struct history *history;
    uint32_t *numbers; /* by thread: number in the schedule plus one */
    uint32_t *steps;   /* by thread: steps written */
    uint32_t threads;
    bool *full;  /* by barrier: everybody who uses it comes to every use */
    bool beside; /* the line before is a step at such a barrier */
};

/* Numbers a thread; every line about a thread comes after its `thread` line. */
static uint32_t number_of(struct writer *writer, uint32_t thread)
{
    if (!writer->numbers[thread]) {
        writer->numbers[thread] = ++writer->threads;
        fprintf(writer->out, "thread %u %s\n", writer->threads - 1,
                trace_name(writer->history->trace, CLASS_THREAD, thread));
    }
    return writer->numbers[thread] - 1;
}

/* The order in which threads come to a barrier and leave it says who meets whom only if
 * there are more of them than it lets through at once. */
static bool *find_full(const struct history *history)
{
    uint32_t barriers = trace_count(history->trace, CLASS_BARRIER);
    if (!barriers)
        return NULL;
    bool *full = NEW_ARRAY(bool, barriers);
    uint32_t *users = NEW_ARRAY(uint32_t, barriers), *parties = NEW_ARRAY(uint32_t, barriers);
    struct map seen = {0};
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        bool added;
        if (event->op != EVENT_BARRIER_ENTER)
            continue;
        map_at(&seen, map_pair(event->object, event->thread), &added);
        users[event->object] += added;
        parties[event->object] = trace_barrier_parties(history->trace, event->other);
    }
    for (uint32_t i = 0; i < barriers; i++)
        full[i] = users[i] && users[i] == parties[i];
    map_free(&seen);
    free(users);
    free(parties);
    return full;
}

/* An operation that the trace left out (an inner pair of a shared lock, say) has
 * its number all the same: it comes right before the thread's next step. */
static void write_step(struct writer *writer, const struct event *event)
{
    uint32_t thread = event->thread, number = number_of(writer, thread);
    bool at_barrier = (event->op == EVENT_BARRIER_ENTER || event->op == EVENT_BARRIER_EXIT) &&
                      writer->full[event->object];
    for (; writer->steps[thread] < event->value; writer->beside = false)
        fprintf(writer->out, "step %u %u any\n", number, writer->steps[thread]++);
    fprintf(writer->out, "step %u %u %s%s\n", number, writer->steps[thread]++,
            event_op_text(event->op),
            event->flags & EVENT_FAILED    ? " failed"
            : at_barrier && writer->beside ? " beside"
                                           : "");
    writer->beside = at_barrier;
}

static void write_access(struct writer *writer, const struct event *event)
{
    const char *module;
    uint64_t offset;
    writer->beside = false;
    if (trace_code(writer->history->trace, event->location, &module, &offset))
        fprintf(writer->out, "access %u %u %s %" PRIu64 " %s\n", number_of(writer, event->thread),
                writer->steps[event->thread], event_op_text(op_performed(event->op)), offset,
                module);
}

static int write_target(struct writer *writer, const struct event *event, struct error *error)
{
    const char *module = NULL;
    uint64_t offset = 0;
    uint32_t number = number_of(writer, event->thread);
    fprintf(writer->out, "target %u %u %s", number, writer->steps[event->thread],
            event_op_text(op_performed(event->op)));
    if (op_in(event->op, OPS_ACCESS)) {
        if (!trace_code(writer->history->trace, event->location, &module, &offset))
            return error_set(error, ERROR_INPUT, "the code of %s is in no module of the load map",
                             trace_location(writer->history->trace, event->location));
        fprintf(writer->out, " %" PRIu64 " %s", offset, module);
    }
    putc('\n', writer->out);
    return 0;
}

/* Where the events of the error begin in the witness. */
static uint32_t prefix_length(const struct finding *finding)
{
    return finding->witness_length - finding_ends(finding);
}

uint32_t schedule_first_event(const struct finding *finding, enum schedule_first first)
{
    if (first == SCHEDULE_ANY || finding_shape(finding) != FINDING_RACE ||
        finding->event_count != 2 || finding_is_unordered(finding))
        return UINT32_MAX;
    bool earlier = finding->events[0].pos < finding->events[1].pos;
    return (first == SCHEDULE_OBSERVED) == earlier ? 0 : 1;
}

static void write_first(const struct writer *writer, const struct finding *finding,
                        enum schedule_first first)
{
    uint32_t event = schedule_first_event(finding, first);
    if (event == UINT32_MAX)
        return;
    uint32_t last = finding->witness[finding->witness_length - 1];
    fprintf(writer->out, "first %d\n", last == finding->events[event].pos);
}

/* A thread that is not in the schedule does as it likes. One that an early read comes before must
 * not: it is named, and has no step. */
static void name_created(struct writer *writer, const struct finding *finding, uint32_t prefix)
{
    for (uint32_t i = 0; i < prefix && finding_shape(finding) == FINDING_ORDER; i++) {
        const struct event *event = &writer->history->events[finding->witness[i]];
        if (event->op == EVENT_FORK)
            number_of(writer, event->object);
    }
}

static int write_all(struct writer *writer, const struct finding *finding, const bool *listed,
                     enum schedule_first first, struct error *error)
{
    const struct event *events = writer->history->events;
    uint32_t prefix = prefix_length(finding);
    fprintf(writer->out, "preplay-schedule %d\n", SCHEDULE_VERSION);
    for (uint32_t i = 0; i < prefix; i++) {
        const struct event *event = &events[finding->witness[i]];
        if (event->flags & EVENT_IMPLIED)
            continue; /* the program knows nothing of it */
        if (op_in(event->op, OPS_SCHEDULED))
            write_step(writer, event);
        else if (listed && listed[i])
            write_access(writer, event);
    }
    name_created(writer, finding, prefix);
    for (uint32_t i = prefix; i < finding->witness_length; i++)
        if (write_target(writer, &events[finding->witness[i]], error))
            return -1;
    write_first(writer, finding, first);
    fputs("end\n", writer->out);
    return 0;
}

int schedule_write(FILE *out, const struct history *history, const struct finding *finding,
                   enum schedule_detail detail, enum schedule_first first, bool *listed,
                   struct error *error)
{
    if (strcmp(history->trace->format->name, "binary") != 0)
        return error_set(error, ERROR_INPUT, "%s: only recorded programs can be replayed",
                         history->trace->path);
    if (!finding->witness)
        return error_set(error, ERROR_INPUT, "the finding has no witness to replay");
    if (finding->event_count > CONTROL_TARGETS)
        return error_set(error, ERROR_INPUT, "a cycle of more than %d threads cannot be replayed",
                         CONTROL_TARGETS);
    struct writer writer = {
        .out = out,
        .history = history,
        .numbers = NEW_ARRAY(uint32_t, history->threads),
        .steps = NEW_ARRAY(uint32_t, history->threads),
        .full = find_full(history),
    };
    struct finding full = finding_in_full(finding, history);
    bool *accesses = access_order_find(history, &full, prefix_length(&full), detail);
    int result = write_all(&writer, &full, accesses, first, error);
    if (listed)
        *listed = accesses != NULL;
    free(accesses);
    finding_full_free(&full, finding);
    free(writer.numbers);
    free(writer.steps);
    free(writer.full);
    return result;
}
