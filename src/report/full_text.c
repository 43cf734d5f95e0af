#include "report/full_text.h"

#include "report/columns.h"
#include "report/frames.h"
#include "report/source.h"
#include "report/steps.h"
#include "trace/turns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct text_style text_style_of(FILE *out)
{
    struct text_style style = {.width = 80};
    const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if (!isatty(fileno(out)))
        return style;
    struct winsize size;
    if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
        style.width = size.ws_col;
    style.colour = !(no_colour && *no_colour) && terminal && strcmp(terminal, "dumb") != 0;
    return style;
}

const char *text_bold(struct text_style style)
{
    return style.colour ? "\033[1m" : "";
}

const char *text_red(struct text_style style)
{
    return style.colour ? "\033[1;31m" : "";
}

const char *text_dim(struct text_style style)
{
    return style.colour ? "\033[2m" : "";
}

const char *text_normal(struct text_style style)
{
    return style.colour ? "\033[0m" : "";
}

struct writer {
    FILE *out;
    const struct report *report;
    const struct trace *trace;
    const struct held *held;
    struct sources *sources;
    struct text_style style;
};

static void print_source(const struct writer *writer, const char *place)
{
    size_t length;
    const char *line = sources_line(writer->sources, place, 0);
    if (!line)
        return;
    line += strspn(line, " \t");
    fprintf(writer->out, "    %s%6u | ", text_dim(writer->style), place_line(place, &length));
    size_t room = writer->style.width - 13, width = columns_width(line);
    columns_print(writer->out, line, width < room ? width : room);
    fprintf(writer->out, "%s\n", text_normal(writer->style));
}

/* Of code without lines it is a function and an offset. */
static void print_place(const struct writer *writer, const char *place)
{
    char *text = demangle(place);
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
            columns_text(writer->out, frames[i].function);
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
    char *name = demangle(trace_name(writer->trace, class, object));
    columns_text(writer->out, name);
    free(name);
}

static void print_thread(const struct writer *writer, uint32_t thread)
{
    char text[256];
    thread_text(text, sizeof text, writer->trace, thread);
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

/* What the i-th event of a finding is to it. */
static const char *role(const struct finding *finding, uint32_t i)
{
    static const char *const roles[] = {"Window begins: ", "Window ends: ", "Culprit: "};
    return finding->kind == FINDING_ATOMICITY && i < 3 ? roles[i] : "";
}

static void print_event(const struct writer *writer, const struct finding *finding, uint32_t i)
{
    const struct finding_event *event = &finding->events[i];
    const struct event *full = &writer->report->history->events[event->pos];
    fprintf(writer->out, "  %s%sThread ", text_bold(writer->style), role(finding, i));
    print_thread(writer, event->thread);
    bool waits = finding->kind == FINDING_DEADLOCK && step_waits(event->op);
    fprintf(writer->out, " %s",
            waits                      ? "waits for"
            : full->flags & EVENT_WISH ? "wants"
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

static void print_title(const struct writer *writer, const struct finding *finding, const char *id)
{
    static const char *const titles[] = {"DATA RACE", "DEADLOCK", "ATOMICITY VIOLATION"};
    FILE *out = writer->out;
    fprintf(out, "%s%s %s%s", text_red(writer->style), titles[finding->kind], id,
            text_normal(writer->style));
    if (finding->kind == FINDING_DEADLOCK) {
        fprintf(out, " of %u thread%s", finding->event_count, finding->event_count == 1 ? "" : "s");
    } else if (finding->object_class != CLASS_NONE) {
        fputs(" on ", out);
        print_name(writer, finding->object_class, finding->object);
    }
    if (finding->block != INTERN_NONE) {
        fputs(" in block ", out);
        print_name(writer, CLASS_LABEL, finding->block);
    }
    if (finding->error != ATOMICITY_NONE)
        fprintf(out, " (%s-error)", atomicity_error_text(finding->error));
    fprintf(out, ": %s%s%s\n", text_bold(writer->style), verdict_text(finding->verdict),
            text_normal(writer->style));
}

static void print_verdict(const struct writer *writer, const struct finding *finding)
{
    FILE *out = writer->out;
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
        fputs("  It did not happen in the recorded run, but in a replay of it", out);
        break;
    case VERDICT_PREDICTED:
        fputs("  Another schedule of the recorded run reaches it; it was not replayed.\n", out);
        break;
    case VERDICT_CANDIDATE:
        fputs("  A schedule may reach it, if what is read does not matter.\n", out);
        break;
    default:
        fputs("  A replay did not show it", out);
        break;
    }
    if (finding->verdict >= VERDICT_CONFIRMED) {
        if (finding->replay) {
            fputs(":\n  ", out);
            columns_text(out, finding->replay);
        }
        fputs(".\n", out);
    }
    if (finding->note) {
        char *note = demangle_all(finding->note);
        fputs("  ", out);
        columns_text(out, note);
        putc('\n', out);
        free(note);
    }
}

/* A command line that a shell reads as it was meant. */
static void print_word(FILE *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_-+=./,:@%";
    if (*word && word[strspn(word, plain)] == '\0') {
        fputs(word, out);
        return;
    }
    putc('\'', out);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            putc(*word, out);
    putc('\'', out);
}

static void print_finding(const struct writer *writer, const struct finding *finding)
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
    for (uint32_t i = 0; i < finding->event_count; i++) {
        putc('\n', out);
        print_event(writer, finding, i);
    }
    putc('\n', out);
    print_origin(writer, finding);
    print_creations(writer, finding);
    if (!finding->witness)
        return;
    putc('\n', out);
    struct finding full = finding_in_full(finding, writer->report->history);
    text_interleaving(out, writer->report->history, &full, writer->style);
    finding_full_free(&full, finding);
    if (strcmp(writer->trace->format->name, "binary") == 0) {
        fprintf(out, "\n  %sAgain:%s ", text_bold(writer->style), text_normal(writer->style));
        print_word(out, writer->report->tool ? writer->report->tool : "preplay");
        fputs(" replay ", out);
        print_word(out, writer->report->path);
        fprintf(out, " %s\n", id);
    }
}

void report_text_findings(FILE *out, const struct report *report, struct text_style style)
{
    struct held *held = held_create(report->history, report->items, report->count);
    struct writer writer = {
        .out = out,
        .report = report,
        .trace = report->trace,
        .held = held,
        .sources = sources_create(report->directory),
        .style = style,
    };
    for (size_t i = 0; i < report->count; i++)
        print_finding(&writer, report->items[i]);
    held_destroy(held);
    sources_destroy(writer.sources);
}

void report_text(FILE *out, const struct report *report, struct text_style style)
{
    for (const struct report *each = report; each; each = each->next)
        if (each->count)
            report_text_findings(out, each, style);
    text_summary(out, report, style);
}
