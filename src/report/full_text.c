/* SPDX-License-Identifier: MIT */
#include "report/full_text.h"

#include "report/columns.h"
#include "report/advice.h"
#include "report/frames.h"
#include "report/nature.h"
#include "report/object_name.h"
#include "report/shell_words.h"
#include "report/short_name.h"
#include "report/source.h"
#include "report/steps.h"
#include "report/thread_text.h"
#include "trace/turns.h"
#include "trace/finding_id.h"
#include "trace/misuse_rules.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct writer {
    FILE *out;
    const struct report *report;
    const struct trace *trace;
    const struct held *held;
    struct sources *sources;
    struct text_style style;
    struct map scheduled; /* findings, by address, whose schedule was printed */
};

static void print_source(const struct writer *writer, const char *place)
{
    size_t length;
    const char *line = sources_line(writer->sources, place, 0);
    if (!line)
        return;
    size_t indent = strspn(line, " \t"), column = place_column(place);
    fprintf(writer->out, "    %s%6u | ", text_dim(writer->style), place_line(place, &length));
    columns_around(writer->out, line + indent, writer->style.width - 13,
                   column > indent ? column - indent - 1 : 0);
    fprintf(writer->out, "%s\n", text_normal(writer->style));
}

/* Of code without lines it is a function and an offset. */
static void print_place(const struct writer *writer, const char *place)
{
    char *text = demangle_short(place);
    columns_text(writer->out, text);
    free(text);
}

static void print_stack(const struct writer *writer, uint32_t location, uint32_t stack)
{
    struct frame frames[FRAMES_MOST];
    size_t count = frames_collect(frames, writer->trace, location, stack);
    size_t own = frames_own(frames, count), folded;
    for (size_t i = 0; i < count; i++) {
        for (folded = 0; i > 0 && i + folded < count && frames[i + folded].library;)
            folded++;
        if (folded > 1) { /* all programs have them, and their names are long */
            fprintf(writer->out, "    ... %zu frames of the C++ library\n", folded);
            i += folded - 1;
            continue;
        }
        fprintf(writer->out, "    #%zu ", i);
        if (frames[i].function) {
            char *name = short_name(frames[i].function);
            columns_text(writer->out, name);
            free(name);
            putc(' ', writer->out);
        }
        print_place(writer, frames[i].place);
        putc('\n', writer->out);
        if (i == own)
            print_source(writer, frames[i].place);
    }
    frames_free(frames, count);
}

static void print_name(const struct writer *writer, enum object_class class, uint32_t object)
{
    char *name = object_name(writer->trace, class, object);
    columns_text(writer->out, name);
    free(name);
}

static void print_thread(const struct writer *writer, uint32_t thread)
{
    char text[256];
    thread_text(text, sizeof text, writer->report, thread);
    columns_text(writer->out, text);
}

static void print_locks(const struct writer *writer, uint32_t pos)
{
    const struct held_lock *locks;
    size_t count = held_at(writer->held, pos, &locks);
    for (size_t i = 0; i < count; i++) {
        fputs("    holding ", writer->out);
        print_name(writer, CLASS_LOCK, locks[i].lock);
        const struct event *since = &writer->report->history->events[locks[i].since];
        const char *place = trace_location(writer->trace, since->location);
        fputs(since->op == EVENT_ACQUIRE_READ ? " for reading, taken at " : ", taken at ",
              writer->out);
        print_place(writer, place);
        putc('\n', writer->out);
    }
    if (!count)
        fputs("    holding no lock\n", writer->out);
}

static void print_event(const struct writer *writer, const struct finding *finding, uint32_t i)
{
    const struct finding_event *event = &finding->events[i];
    const struct event *full = &writer->report->history->events[event->pos];
    const char *role = nature_role(finding, i);
    fprintf(writer->out, "  %s%s%sThread ", text_bold(writer->style), role, *role ? ": " : "");
    print_thread(writer, event->thread);
    bool waits = finding_shape(finding) == FINDING_DEADLOCK && step_waits(event->op);
    fprintf(writer->out, " %s",
            waits                       ? "waits for"
            : full->flags & EVENT_WISH  ? "wants"
            : full->flags & EVENT_FREES ? "frees"
                                        : step_verb(event->op));
    if (event->size && op_in(event->op, OPS_ACCESS))
        fprintf(writer->out, " %u byte%s of", event->size, event->size == 1 ? "" : "s");
    enum object_class class = event_object_class(event->op);
    if (class != CLASS_NONE) {
        putc(' ', writer->out);
        print_name(writer, class, full->object);
    }
    fprintf(writer->out, ":%s\n", text_normal(writer->style));
    print_stack(writer, event->location, event->stack);
    print_locks(writer, event->pos);
}

static void print_origin(const struct writer *writer, const struct finding *finding)
{
    struct trace_origin origin;
    if (finding->object_class != CLASS_VARIABLE ||
        !trace_origin(writer->trace, finding->object, &origin))
        return;
    if (origin.kind == ORIGIN_STACK) {
        fputs("  The memory is on the stack of thread ", writer->out);
        print_thread(writer, origin.thread);
        fputs("\n", writer->out);
        return;
    }
    fprintf(writer->out,
            "  The memory is at offset %" PRIu64 " of a heap block of %" PRIu64
            " bytes, allocated by thread ",
            origin.offset, origin.size);
    print_thread(writer, origin.thread);
    fputs(":\n", writer->out);
    print_stack(writer, origin.location, origin.stack);
}

static bool is_first_of_thread(const struct finding *finding, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (finding->events[k].thread == finding->events[i].thread)
            return false;
    return true;
}

static void print_creations(const struct writer *writer, const struct finding *finding)
{
    const struct history *history = writer->report->history;
    for (uint32_t i = 0; i < finding->event_count; i++) {
        uint32_t thread = finding->events[i].thread;
        uint32_t fork = history->fork_of[thread];
        if (fork == POS_NONE || !is_first_of_thread(finding, i))
            continue;
        fputs("  Thread ", writer->out);
        print_thread(writer, thread);
        fputs(" was created by thread ", writer->out);
        print_thread(writer, history->events[fork].thread);
        fputs(":\n", writer->out);
        print_stack(writer, history->events[fork].location, history->events[fork].stack);
    }
}

/* "USE AFTER FREE" */
static void print_nature(const struct writer *writer, const struct finding *finding)
{
    for (const char *at = nature_of(writer->report->history, writer->report->held, finding); *at;
         at++)
        putc(*at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at, writer->out);
}

static void print_title(const struct writer *writer, const struct finding *finding, const char *id)
{
    FILE *out = writer->out;
    char effect[128];
    fputs(text_red(writer->style), out);
    print_nature(writer, finding);
    fprintf(out, " %s%s", id, text_normal(writer->style));
    if (finding_shape(finding) == FINDING_DEADLOCK) {
        fprintf(out, " of %u thread%s", finding->event_count, finding->event_count == 1 ? "" : "s");
    } else if (finding->object_class != CLASS_NONE) {
        fputs(" on ", out);
        print_name(writer, finding->object_class, finding->object);
    }
    if (finding->block != INTERN_NONE) {
        fputs(" in block ", out);
        print_name(writer, CLASS_LABEL, finding->block);
    }
    if (finding->error != ATOMICITY_NONE && finding->kind == FINDING_ATOMICITY)
        fprintf(out, " (%s-error)", atomicity_error_text(finding->error));
    if (finding->kind == FINDING_MISUSE && finding->rule)
        fprintf(out, " (%s)", finding->rule);
    fprintf(out, ": %s%s%s", text_bold(writer->style), verdict_text(finding->verdict),
            text_normal(writer->style));
    if (nature_effect(finding, effect, sizeof effect)) {
        fputs(", ", out);
        columns_text(out, effect);
    }
    putc('\n', out);
}

/* It was replayed, and nothing says that it can happen. */
static bool did_not_show(const struct finding *finding)
{
    return finding->verdict == VERDICT_DIVERGED || finding->verdict == VERDICT_UNREACHED ||
           finding->verdict == VERDICT_TIMEOUT;
}

/* What the rule says, and what to do. */
static void print_misuse(const struct writer *writer, const struct finding *finding)
{
    const struct misuse_rule *rule = &misuse_rules[misuse_find(finding->rule)];
    if (!rule->name)
        return;
    if (did_not_show(finding)) {
        fprintf(writer->out, "  It would be misuse: %s.\n", rule->text);
        return;
    }
    if (finding->verdict != VERDICT_CONFIRMED) /* its replay says it */
        fprintf(writer->out, "  Misuse: %s.\n", rule->text);
    fprintf(writer->out, "  %s\n", rule->help);
}

/* Threads go another way if they read other values than in the recorded run. */
static void print_other_way(const struct writer *writer)
{
    bool reads = writer->report->history->ops & OPS_ACCESS;
    fprintf(writer->out, "  What the threads read may rule this schedule out%s.\n",
            reads ? "" : ", and the recording has no reads of shared memory to tell");
}

/* Of a run that was made to be looked at. */
static void print_explored(const struct writer *writer, const struct finding *finding)
{
    if (finding->replay) {
        fputs("  Exploring: ", writer->out);
        columns_text(writer->out, finding->replay);
        fputs(".\n", writer->out);
    }
    if (finding->note) {
        fputs("  ", writer->out);
        columns_text(writer->out, finding->note);
        putc('\n', writer->out);
    }
}

static void print_verdict(const struct writer *writer, const struct finding *finding)
{
    FILE *out = writer->out;
    if (writer->report->explored) {
        print_explored(writer, finding);
        return;
    }
    switch (finding->verdict) {
    case VERDICT_OBSERVED:
        fputs("  It happened in the recorded run.\n", out);
        if (finding->replay) {
            fputs("  In a replay: ", out);
            columns_text(out, finding->replay);
            fputs(".\n", out);
        }
        break;
    case VERDICT_CONFIRMED:
        fputs("  It did not happen in the recorded run, but in replays of it", out);
        break;
    case VERDICT_SEEN_ONCE:
        fputs("  It did not happen in the recorded run, but in one replay of it", out);
        break;
    case VERDICT_PREDICTED:
        fputs("  Another schedule of the recorded run reaches it; it was not replayed.\n", out);
        break;
    case VERDICT_ADVICE:
        fputs("  Advice: it happened in the recorded run, and need not be wrong.\n", out);
        break;
    case VERDICT_CANDIDATE:
        fputs("  A schedule may reach it, if what is read does not matter.\n", out);
        break;
    default:
        fputs("  A replay did not show it", out);
        break;
    }
    if (finding->verdict >= VERDICT_SEEN_ONCE && finding->verdict != VERDICT_ADVICE) {
        if (finding->replay) {
            fputs(":\n  ", out);
            columns_text(out, finding->replay);
        }
        fputs(".\n", out);
    }
    if (finding->verdict == VERDICT_DIVERGED)
        print_other_way(writer);
    if (finding->note) {
        char *note = demangle_all(finding->note);
        fputs("  ", out);
        columns_text(out, note);
        putc('\n', out);
        free(note);
    }
}

static void print_advice(const struct writer *writer, const struct finding *finding)
{
    char *text =
        advice_for(writer->report->advice, writer->report->history, writer->report->held, finding);
    if (!text)
        return;
    fprintf(writer->out, "\n  %sSuggestion:%s ", text_bold(writer->style),
            text_normal(writer->style));
    columns_text(writer->out, text);
    fputs(".\n", writer->out);
    free(text);
}

static const struct finding *find_by_id(const struct writer *writer, const char *wanted)
{
    for (size_t i = 0; i < writer->report->count; i++) {
        char id[FINDING_ID_SIZE];
        finding_id(writer->report->items[i], writer->trace, id);
        if (strcmp(id, wanted) == 0)
            return writer->report->items[i];
    }
    return NULL;
}

/* A schedule that reaches several findings is shown once. */
static void print_schedule(struct writer *writer, const struct finding *finding)
{
    const struct finding *executed = finding->via[0] ? find_by_id(writer, finding->via) : NULL;
    bool is_new;
    if (executed && executed->witness)
        finding = executed;
    else
        executed = NULL;
    map_at(&writer->scheduled, (uint64_t)(uintptr_t)finding, &is_new);
    putc('\n', writer->out);
    if (executed) {
        char id[FINDING_ID_SIZE];
        finding_id(executed, writer->trace, id);
        fprintf(writer->out, "  It was reached by the schedule of %s%s.\n", id,
                is_new ? "" : ", which stands there");
    }
    if (!is_new)
        return;
    struct finding full = finding_in_full(finding, writer->report->history);
    text_interleaving(writer->out, writer->report, &full, writer->style);
    finding_full_free(&full, finding);
}

static void print_finding(struct writer *writer, const struct finding *finding)
{
    char id[FINDING_ID_SIZE];
    FILE *out = writer->out;
    finding_id(finding, writer->trace, id);
    fprintf(out, "%s==================%s\n", text_dim(writer->style), text_normal(writer->style));
    print_title(writer, finding, id);
    if (writer->report->process) {
        fputs("  In ", out);
        columns_text(out, writer->report->process);
        fputs(".\n", out);
    }
    print_verdict(writer, finding);
    if (finding->kind == FINDING_MISUSE)
        print_misuse(writer, finding);
    text_consequence(out, writer->report, finding, writer->style);
    for (uint32_t i = 0; i < finding->event_count; i++) {
        putc('\n', out);
        print_event(writer, finding, i);
    }
    print_advice(writer, finding);
    putc('\n', out);
    print_origin(writer, finding);
    print_creations(writer, finding);
    if (finding->witness)
        print_schedule(writer, finding);
}

static void print_again(const struct writer *writer, const struct finding *finding)
{
    char id[FINDING_ID_SIZE];
    FILE *out = writer->out;
    if (!finding->witness || !writer->trace->format->code)
        return;
    finding_id(finding, writer->trace, id);
    fprintf(out, "\n  %sAgain:%s ", text_bold(writer->style), text_normal(writer->style));
    shell_word(out, writer->report->tool ? writer->report->tool : "preplay");
    fputs(" replay ", out);
    shell_word(out, writer->report->path);
    fprintf(out, " %s\n", id);
}

void report_text_findings(FILE *out, const struct report *report, struct text_style style)
{
    struct writer writer = {
        .out = out,
        .report = report,
        .trace = report->trace,
        .held = report->held,
        .sources = sources_create(report),
        .style = style,
    };
    size_t causes = 0;
    for (size_t i = 0, end; i < report->count; i = end) {
        for (end = i + 1; end < report->count && !report_leads(report, report->items[end]);)
            end++;
        if (report->most && ++causes > report->most)
            continue;
        print_finding(&writer, report->items[i]);
        text_other_places(out, report, i + 1, end, style);
        print_again(&writer, report->items[i]);
    }
    if (report->most && causes > report->most)
        fprintf(out, "%s==================%s\n... and %zu more (--max-findings 0 shows all)\n",
                text_dim(style), text_normal(style), causes - report->most);
    sources_destroy(writer.sources);
    map_free(&writer.scheduled);
}

void report_text(FILE *out, const struct report *report, struct text_style style)
{
    for (const struct report *each = report; each; each = each->next)
        if (each->count)
            report_text_findings(out, each, style);
    text_summary(out, report, style);
}
