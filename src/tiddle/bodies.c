/* SPDX-License-Identifier: MIT */
#include "tiddle/bodies.h"

#include "base/array.h"
#include "base/map.h"
#include "tiddle/writer.h"

struct walk {
    struct bodies *bodies;
    const char *lines_of;
    struct operation_writer writer;
};

static void write_string(FILE *out, const char *text)
{
    putc('"', out);
    for (const char *at = text; *at; at++) {
        unsigned char byte = (unsigned char)*at;
        if (byte == '"' || byte == '\\' || byte == '?') /* "??" might begin a trigraph */
            fprintf(out, "\\%c", byte);
        else if (byte < ' ' || byte == 0x7f)
            fprintf(out, "\\%03o", byte);
        else
            putc(byte, out);
    }
    putc('"', out);
}

/* `text` of a step: the operation's Tiddle line as a C string. */
static void write_text(struct walk *walk, uint32_t pos)
{
    const struct history *history = walk->writer.plan->history;
    char *line = NULL;
    size_t length;
    FILE *buffer = open_memstream(&line, &length);
    tiddle_write_operation(buffer, history->trace, &history->events[pos]);
    fclose(buffer);
    write_string(walk->writer.out, line);
    free(line);
}

/* path:line[:column], or a line of the trace itself. */
static void write_place(struct walk *walk, uint32_t pos)
{
    const struct plan *plan = walk->writer.plan;
    const struct event *event = &plan->history->events[pos];
    const char *location = trace_location(plan->history->trace, event->location);
    size_t path = strcspn(location, ":"), digits = strspn(location, "0123456789");
    uint32_t written = pos - plan->completion.forks;
    bool added =
        pos < plan->completion.forks || pos >= plan->history->count - plan->completion.joins;
    if (!walk->lines_of)
        return;
    if (added) {
        fputs("#line 1 \"added\"\n", walk->writer.out);
        return;
    }
    if (location[path] == ':' && strspn(location + path + 1, "0123456789")) {
        char *copy = strndup(location, path);
        fprintf(walk->writer.out, "#line %lu ", strtoul(location + path + 1, NULL, 10));
        write_string(walk->writer.out, copy);
        free(copy);
    } else {
        fprintf(walk->writer.out, "#line %lu ",
                digits && !location[digits] ? strtoul(location, NULL, 10) : written + 1ul);
        write_string(walk->writer.out, walk->lines_of);
    }
    putc('\n', walk->writer.out);
}

static void write_ending(struct walk *walk, uint32_t partner)
{
    if (partner == STEP_NEVER) {
        fputs("NEVER, \"\"", walk->writer.out);
    } else {
        fprintf(walk->writer.out, "%u, ", partner);
        write_text(walk, partner);
    }
}

static void write_wait(struct walk *walk, uint32_t pos)
{
    const struct plan *plan = walk->writer.plan;
    const struct event *event = &plan->history->events[pos];
    uint32_t partner = plan->partner[pos];
    bool signalled =
        partner == STEP_NEVER || !(plan->history->events[partner].flags & EVENT_FAILED);
    fprintf(walk->writer.out, "    %s(%u, ", signalled ? "WAIT" : "TIMED_WAIT", pos);
    write_text(walk, pos);
    fprintf(walk->writer.out, ", %s, %s, ",
            identifier(walk->writer.identifiers, CLASS_CONDITION, event->object),
            identifier(walk->writer.identifiers, CLASS_LOCK, event->other));
    write_ending(walk, partner);
    fputs(");\n", walk->writer.out);
}

static void write_barrier(struct walk *walk, uint32_t pos)
{
    const struct plan *plan = walk->writer.plan;
    fprintf(walk->writer.out, "    BARRIER(%u, ", pos);
    write_text(walk, pos);
    fprintf(walk->writer.out, ", %s, ",
            walk->bodies->barrier_name[plan->history->events[pos].other]);
    write_ending(walk, plan->partner[pos]);
    fputs(");\n", walk->writer.out);
}

static void write_done(struct walk *walk, uint32_t pos)
{
    fputs("    done_step(", walk->writer.out);
    write_text(walk, pos);
    fputs(");\n", walk->writer.out);
}

/* Tells the recorder what is an atomic block; all else sees a function. */
static void write_mark(struct walk *walk, const char *macro, uint32_t pos)
{
    const struct history *history = walk->writer.plan->history;
    fprintf(walk->writer.out, "%s(", macro);
    write_string(walk->writer.out,
                 trace_name(history->trace, CLASS_LABEL, history->events[pos].object));
    putc(')', walk->writer.out);
}

static uint32_t write_body(struct walk *walk, uint32_t thread, uint32_t index, uint32_t opener,
                           struct body body);

/* The call of a block's function or a once-routine; its events are the callee's.
 * Returns the index of the event after it. */
static uint32_t write_call(struct walk *walk, uint32_t thread, uint32_t index, uint32_t pos)
{
    const struct plan *plan = walk->writer.plan;
    const struct event *event = &plan->history->events[pos];
    bool block = event->op == EVENT_BLOCK_BEGIN;
    struct body body = {.class = block ? CLASS_LABEL : CLASS_ONCE, .object = event->object};
    const char *name = identifier(walk->writer.identifiers, body.class, body.object);
    fprintf(walk->writer.out, "    await_step(%u);\n", pos);
    if (!block)
        fprintf(walk->writer.out, "    pthread_once(&%s, %s_routine);\n", name, name);
    else if (walk->bodies->calls[event->object] == 1)
        fprintf(walk->writer.out, "    %s();\n", name);
    else {
        body.call = ++walk->bodies->entered[event->object];
        fprintf(walk->writer.out, "    %s(%u);\n", name, body.call);
    }
    FILE *caller = walk->writer.out;
    uint32_t after = write_body(walk, thread, index + 1, pos, body);
    walk->writer.out = caller;
    if (plan->partner[pos] != STEP_NEVER)
        write_done(walk, plan->partner[pos]);
    return after;
}

/* The recorder's reader takes a block that begins right after its thread for the
 * function the thread starts in, which is never atomic. So there must be one. */
static bool needs_outer_block(const struct walk *walk, const struct body *body)
{
    const struct history *history = walk->writer.plan->history;
    return body->class == CLASS_THREAD && history_thread_length(history, body->object) &&
           history->events[history_pos(history, body->object, 0)].op == EVENT_BLOCK_BEGIN;
}

/* What is begun and ended in one place. */
static void write_in_place(struct walk *walk, uint32_t pos)
{
    FILE *out = walk->writer.out;
    uint8_t op = walk->writer.plan->history->events[pos].op;
    fprintf(out, "    DO(%u, ", pos);
    write_text(walk, pos);
    fputs(", ", out);
    if (op == EVENT_BLOCK_BEGIN || op == EVENT_BLOCK_END)
        write_mark(walk, op == EVENT_BLOCK_BEGIN ? "BLOCK_BEGIN" : "BLOCK_END", pos);
    else
        operation_write(&walk->writer, pos);
    fputs(");\n", out);
}

/* One event, or all of what it calls. Returns the index of the event after it. */
static uint32_t write_event(struct walk *walk, uint32_t thread, uint32_t index)
{
    const struct plan *plan = walk->writer.plan;
    uint32_t pos = history_pos(plan->history, thread, index);
    uint8_t op = plan->history->events[pos].op;
    if ((op == EVENT_BLOCK_BEGIN && !plan->in_place[thread]) || op == EVENT_ONCE_BEGIN)
        return write_call(walk, thread, index, pos);
    if (op == EVENT_WAIT_BEGIN)
        write_wait(walk, pos);
    else if (op == EVENT_BARRIER_ENTER)
        write_barrier(walk, pos);
    else if (op != EVENT_WAIT_END && op != EVENT_BARRIER_EXIT)
        write_in_place(walk, pos);
    return index + 1;
}

static void write_block_mark(struct walk *walk, const char *macro, uint32_t opener)
{
    fputs("    ", walk->writer.out);
    write_mark(walk, macro, opener);
    fputs(";\n", walk->writer.out);
}

/* Writes events from `index` on, up to the end of what `opener` opened or of the
 * thread. Returns the index of the event after that. */
static uint32_t write_body(struct walk *walk, uint32_t thread, uint32_t index, uint32_t opener,
                           struct body body)
{
    const struct plan *plan = walk->writer.plan;
    const struct history *history = plan->history;
    uint32_t last = opener == POS_NONE ? STEP_NEVER : plan->partner[opener];
    size_t place = walk->bodies->count;
    array_push(walk->bodies, body);
    char *text = NULL;
    size_t length = 0;
    walk->writer.out = open_memstream(&text, &length);
    FILE *out = walk->writer.out;
    bool block = body.class == CLASS_LABEL, outer = needs_outer_block(walk, &body);
    const char *thread_name = identifier(walk->writer.identifiers, CLASS_THREAD, thread);
    if (outer)
        fprintf(out, "    BLOCK_BEGIN(\"%s\"); /* the thread's own, not an atomic one */\n",
                thread_name);
    if (block) {
        write_place(walk, opener);
        write_block_mark(walk, "BLOCK_BEGIN", opener);
    }
    if (opener != POS_NONE)
        write_done(walk, opener);
    while (index < history_thread_length(history, thread)) {
        uint32_t pos = history_pos(history, thread, index);
        uint8_t op = history->events[pos].op;
        if (op != EVENT_WAIT_END && op != EVENT_BARRIER_EXIT)
            write_place(walk, pos);
        if (pos == last) {
            fprintf(out, "    await_step(%u);\n", pos);
            if (block)
                write_block_mark(walk, "BLOCK_END", opener);
            index++;
            break;
        }
        index = write_event(walk, thread, index);
    }
    if (outer)
        fprintf(out, "    BLOCK_END(\"%s\");\n", thread_name);
    if (body.class == CLASS_ONCE && last == STEP_NEVER)
        fputs(history->join_of[thread] == POS_NONE ? "    await_step(NEVER);\n"
                                                   : "    pthread_exit(NULL);\n",
              out);
    fclose(out);
    walk->bodies->items[place].text = text;
    walk->bodies->items[place].length = length;
    return index;
}

/* One pthread_barrier_t for each number of threads a barrier is used with. */
static void name_barriers(struct walk *walk)
{
    const struct plan *plan = walk->writer.plan;
    const struct history *history = plan->history;
    uint32_t instances = trace_barrier_instances(history->trace);
    uint32_t *barrier_of = NEW_ARRAY(uint32_t, instances);
    for (uint32_t pos = 0; pos < history->count; pos++)
        if (history->events[pos].op == EVENT_BARRIER_ENTER)
            barrier_of[history->events[pos].other] = history->events[pos].object;
    walk->bodies->barrier_name = NEW_ARRAY(const char *, instances);
    bool *named = NEW_ARRAY(bool, trace_count(history->trace, CLASS_BARRIER));
    struct map same = {0}; /* (barrier, parties) -> an instance */
    for (uint32_t i = 0; i < instances; i++) {
        bool added;
        uint64_t *first = map_at(&same, map_pair(barrier_of[i], plan->parties[i]), &added);
        const char *plain = identifier(walk->writer.identifiers, CLASS_BARRIER, barrier_of[i]);
        if (added)
            *first = i;
        walk->bodies->barrier_name[i] = !added ? walk->bodies->barrier_name[*first]
                                        : named[barrier_of[i]]
                                            ? identifier_fresh(walk->writer.identifiers, plain)
                                            : plain;
        named[barrier_of[i]] = true;
    }
    map_free(&same);
    free(named);
    free(barrier_of);
}

void bodies_write(struct bodies *bodies, const struct plan *plan, struct identifiers *identifiers,
                  bool strict, const char *lines_of)
{
    const struct history *history = plan->history;
    struct walk walk = {.bodies = bodies,
                        .lines_of = lines_of,
                        .writer = {.plan = plan, .identifiers = identifiers, .strict = strict}};
    *bodies = (struct bodies){0};
    bodies->calls = NEW_ARRAY(uint32_t, trace_count(history->trace, CLASS_LABEL));
    bodies->entered = NEW_ARRAY(uint32_t, trace_count(history->trace, CLASS_LABEL));
    for (uint32_t pos = 0; pos < history->count; pos++)
        if (history->events[pos].op == EVENT_BLOCK_BEGIN &&
            !plan->in_place[history->events[pos].thread])
            bodies->calls[history->events[pos].object]++;
    name_barriers(&walk);
    for (uint32_t thread = 0; thread < history->threads; thread++)
        write_body(&walk, thread, 0, POS_NONE,
                   (struct body){.class = CLASS_THREAD, .object = thread});
}

void bodies_free(struct bodies *bodies)
{
    for (size_t i = 0; i < bodies->count; i++)
        free(bodies->items[i].text);
    free(bodies->calls);
    free(bodies->entered);
    free(bodies->barrier_name);
    array_free(bodies);
}
