/* SPDX-License-Identifier: MIT */
#include "cli/explore_findings.h"

#include "base/files.h"
#include "base/memory.h"
#include "cli/reporting.h"
#include "cli/reporting_program.h"
#include "report/findings_file.h"
#include "trace/finding_id.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_RUNS = 1 << 20 };

/* --- a failure as a finding ---------------------------------------------------------------------
 */

/* In one sentence, without its end. */
static void describe(const struct failure *failure, char *text, size_t size)
{
    char said[FAILURE_TEXT];
    snprintf(said, sizeof said, "%s", failure->text);
    if (*said && said[strlen(said) - 1] == '.')
        said[strlen(said) - 1] = '\0';
    switch (failure->kind) {
    case FAILURE_SIGNAL:
        snprintf(text, size, "the program was ended by SIG%s%s%s", sigabbrev_np(failure->number),
                 *said ? ": " : "", said);
        break;
    case FAILURE_EXIT:
        snprintf(text, size, "exit code %d%s%s", failure->number, *said ? ": " : "", said);
        break;
    case FAILURE_CHECK:
        snprintf(text, size, "the check of its result ended with %d%s%s", failure->number,
                 *said ? ": " : "", said);
        break;
    case FAILURE_OUTPUT:
        snprintf(text, size, "it printed something else than the first good run, %s", said);
        break;
    case FAILURE_HANG:
        snprintf(text, size, "what can go on only reads the same for ever");
        break;
    case FAILURE_AFTER_FREE:
        snprintf(text, size, "it used memory after it was freed");
        break;
    case FAILURE_DOUBLE_FREE:
        snprintf(text, size, "it freed memory twice");
        break;
    default:
        snprintf(text, size, "no thread can go on");
    }
}

static void fill_event(struct finding_event *event, const struct history *history, uint32_t pos)
{
    finding_event_fill(event, &history->events[pos], pos, history->index[pos]);
}

/* What the thread did last; the last event of all if it did nothing. */
static uint32_t last_of(const struct history *history, uint32_t thread)
{
    uint32_t length = thread < history->threads ? history_thread_length(history, thread) : 0;
    if (length > 1 && history->events[history_pos(history, thread, length - 1)].op == EVENT_END)
        length--; /* which is no place in the program */
    return length ? history_pos(history, thread, length - 1) : history->count - 1;
}

/* Who waits for others to end is not why they do not. */
static bool only_joins(const struct failure *failure)
{
    for (uint32_t i = 0; i < failure->place_count; i++)
        if (failure->places[i].op != STEP_JOIN)
            return false;
    return true;
}

static uint32_t fill_waiting(const struct failure *failure, const struct run_trace *trace,
                             struct finding_event *events)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < failure->place_count; i++) {
        uint32_t wish = trace->wish[failure->places[i].number];
        bool left_out = failure->places[i].op == STEP_JOIN && !only_joins(failure);
        if (wish != POS_NONE && !left_out)
            fill_event(&events[count++], trace->history, wish);
    }
    return count;
}

void explored_finding(const struct failure *failure, const struct run_trace *trace,
                      struct finding *finding, struct finding_event *events)
{
    const struct history *history = trace->history;
    bool deadlock = failure->kind == FAILURE_DEADLOCK;
    uint32_t count = deadlock ? fill_waiting(failure, trace, events) : 0;
    if (!count) {
        uint32_t thread = failure->place_count ? failure->places[0].number : 0;
        deadlock = false;
        count = 1;
        fill_event(&events[0], history, last_of(history, thread));
        if (failure->place_count && failure->places[0].pc)
            events[0].location = run_trace_location(trace, failure->places[0].pc);
    }
    *finding =
        (struct finding){.kind = deadlock ? FINDING_DEADLOCK : FINDING_FAILURE,
                         .from = deadlock ? FINDING_RACE : FINDING_MISUSE,
                         .model = MODEL_NONE,
                         .verdict = failure->repeated ? VERDICT_CONFIRMED : VERDICT_SEEN_ONCE,
                         .engine = "explore",
                         .block = INTERN_NONE,
                         .object_class = event_object_class(events[0].op),
                         .object = history->events[events[0].pos].object,
                         .events = events,
                         .event_count = count,
                         .rule = deadlock ? NULL : finding_rule_find(failure_rule(failure))};
}

/* All that happened, and at its end what threads wait for. */
static uint32_t *whole_witness(const struct finding *finding, const struct history *history,
                               uint32_t *length)
{
    uint32_t waiting = finding->kind == FINDING_DEADLOCK ? finding->event_count : 0;
    *length = history->count + waiting;
    uint32_t *witness = memory_alloc(*length, sizeof *witness);
    for (uint32_t i = 0; i < history->count; i++)
        witness[i] = i;
    for (uint32_t i = 0; i < waiting; i++)
        witness[history->count + i] = finding->events[i].pos;
    return witness;
}

static void add_failure(struct explored_run *part, struct failure *failure)
{
    struct finding finding;
    struct finding_event events[FAILURE_PLACES];
    char text[FAILURE_TEXT + 128], how[128];
    explored_finding(failure, &part->trace, &finding, events);
    finding_id(&finding, part->trace.trace, failure->id);
    describe(failure, text, sizeof text);
    snprintf(how, sizeof how, "it was shown by run %u of the exploration, with %u preemption%s",
             failure->run, failure->preemptions, failure->preemptions == 1 ? "" : "s");
    finding.replay = how;
    finding.witness = whole_witness(&finding, part->trace.history, &finding.witness_length);
    finding.note = *failure->explanation ? failure->explanation : NULL;
    if (finding.kind == FINDING_FAILURE)
        consequence_set(&finding.consequence, &(struct consequence_order){.first = CONSEQUENCE_ANY,
                                                                          .rule = finding.rule,
                                                                          .text = text});
    findings_add(part->findings, &finding);
    consequence_free(&finding.consequence);
    free(finding.witness);
}

/* --- parts --------------------------------------------------------------------------------------
 */

static void name_run(struct explored_run *part, uint32_t number, const struct kept_run *run,
                     struct symbols *symbols, const char *path)
{
    *part = (struct explored_run){
        .number = number, .run = kept_run_copy(run), .findings = findings_create(false)};
    run_trace_create(&part->trace, &part->run, symbols, path);
    part->findings->trace = part->trace.trace;
}

static struct explored_run *part_of(struct explored *explored, const struct failure *failure)
{
    for (size_t i = 0; i < explored->count; i++)
        if (explored->runs[i].number == failure->run)
            return &explored->runs[i];
    struct explored_run *part = &explored->runs[explored->count++];
    name_run(part, failure->run, &failure->kept, explored->symbols, explored->path);
    return part;
}

void explored_doubt(struct explored *explored, const char *reason)
{
    if (reason)
        explored->runs[0].trace.trace->incomplete = strdup(reason);
}

static void report_part(struct explored *explored, struct explored_run *part,
                        const struct options *options)
{
    part->engine = (struct report_engine){.name = "explore", .findings = part->findings};
    report_create(&part->report, part->trace.trace, part->trace.history, explored->path,
                  &part->engine, 1, options->all);
    part->report.explored = part->number;
    part->report.directory = explored->here;
    part->report.source_roots = options->source_root;
    part->report.most = options->max_findings;
    part->report.tool = explored->tool[0] ? reporting_tool(explored->tool) : "preplay";
    part->report.program = *explored->program.command ? &explored->program : NULL;
    if (part != explored->runs)
        part[-1].report.next = &part->report;
}

static void prepare(struct explored *explored, const char *directory)
{
    char modules[PATH_MAX];
    *explored = (struct explored){.path = directory};
    snprintf(modules, sizeof modules, "%.4000s/modules", directory);
    explored->symbols = symbols_open(modules);
    reporting_program(&explored->program, directory);
    reporting_tool(explored->tool);
    if (!getcwd(explored->here, sizeof explored->here))
        explored->here[0] = '\0';
}

/* Is it told as a failure? Whether a deadlock is one is known once its schedule was run; the
 * failure may name more threads than its cycle has. */
static bool is_failure(const struct exploration *exploration, const struct predicted *one)
{
    bool deadlock = one->finding->kind == FINDING_DEADLOCK;
    for (size_t i = 0; i < exploration->failures.count; i++) {
        const struct failure *failure = &exploration->failures.items[i];
        if (strcmp(failure->id, one->id) == 0 ||
            (deadlock && one->ended && failure->kind == FAILURE_DEADLOCK))
            return true;
    }
    return deadlock && !one->happened;
}

/* The run may be one in which something failed, but that one is told after it was made small. */
static void add_predicted(struct explored *explored, const struct exploration *exploration,
                          const struct predictions *predictions)
{
    const struct predicted_run *last = NULL;
    for (size_t i = 0; i < predictions->list.count; i++) {
        const struct predicted *one = &predictions->list.items[i];
        if (!one->told || is_failure(exploration, one))
            continue;
        if (one->run != last)
            name_run(&explored->runs[explored->count++], one->run->number, &one->run->run,
                     explored->symbols, explored->path);
        last = one->run;
        struct explored_run *part = &explored->runs[explored->count - 1];
        struct finding *added = findings_add(part->findings, one->finding);
        if (added && *one->block)
            added->block =
                intern(part->trace.trace->names[CLASS_LABEL], one->block, strlen(one->block));
    }
}

void explored_create(struct explored *explored, struct exploration *exploration,
                     const struct predictions *predictions, const char *directory)
{
    const struct options *options = predictions->options;
    prepare(explored, directory);
    explored->runs =
        NEW_ARRAY(struct explored_run, exploration->failures.count + predictions->runs.count + 1);
    for (size_t i = 0; i < exploration->failures.count; i++) {
        struct failure *failure = &exploration->failures.items[i];
        add_failure(part_of(explored, failure), failure);
    }
    add_predicted(explored, exploration, predictions);
    if (!explored->count)
        name_run(&explored->runs[explored->count++], 1, &exploration->first, explored->symbols,
                 directory);
    explored_doubt(explored, *exploration->doubts ? exploration->doubts : NULL);
    for (size_t i = 0; i < explored->count; i++)
        report_part(explored, &explored->runs[i], options);
}

void explored_free(struct explored *explored)
{
    for (size_t i = 0; i < explored->count; i++) {
        struct explored_run *part = &explored->runs[i];
        report_free(&part->report);
        findings_destroy(part->findings);
        run_trace_free(&part->trace);
        kept_run_free(&part->run);
    }
    free(explored->runs);
    symbols_close(explored->symbols);
}

void explored_add(struct explored *explored, json_t *extra, json_t *besides)
{
    explored->runs[0].report.extra = extra;
    for (size_t i = 0; i < explored->count; i++)
        explored->runs[i].report.besides = besides;
}

void explored_number(const struct explored *explored, json_t *besides)
{
    for (size_t i = 0; i < explored->count; i++) {
        const struct explored_run *part = &explored->runs[i];
        for (size_t k = 0; k < part->findings->count; k++) {
            char id[FINDING_ID_SIZE];
            finding_id(&part->findings->items[k], part->trace.trace, id);
            if (!json_object_get(besides, id))
                json_object_set_new(besides, id, json_pack("{s:i}", "run", (int)part->number));
        }
    }
}

void explored_leave_out(struct explored *explored, const struct reporting_filter *filter,
                        struct interner *reported)
{
    for (size_t i = 0; i < explored->count; i++)
        report_leave_out(&explored->runs[i].report, filter->suppressions, filter->baseline,
                         reported);
}

const struct report *explored_reports(const struct explored *explored)
{
    return &explored->runs[0].report;
}

/* --- in the directory ---------------------------------------------------------------------------
 */

static void path_of(char path[PATH_MAX], const char *directory, size_t number, const char *ending)
{
    snprintf(path, PATH_MAX, "%.4000s/runs/%zu.%s", directory, number, ending);
}

static int keep_part(const struct explored_run *part, const char *directory, size_t number,
                     struct error *error)
{
    char path[PATH_MAX];
    struct new_file file;
    struct report alone = part->report;
    alone.next = NULL;
    path_of(path, directory, number, "run");
    if (kept_run_write(&part->run, path, error))
        return -1;
    path_of(path, directory, number, "json");
    if (files_begin(&file, path, error))
        return -1;
    report_json(file.stream, &alone);
    return files_commit(&file, error);
}

int explored_keep(const struct explored *explored, const char *directory, struct error *error)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.4000s/runs", directory);
    if (files_make_directory(path))
        return error_set(error, ERROR_INPUT, "%s: cannot be made: %s", path, strerror(errno));
    for (size_t i = 0; i < explored->count; i++)
        if (keep_part(&explored->runs[i], directory, i + 1, error))
            return -1;
    return 0;
}

static uint32_t number_in(const char *path)
{
    json_t *root = findings_file_load(path, NULL);
    const json_t *first = json_array_get(json_object_get(root, "findings"), 0);
    json_int_t number = json_integer_value(json_object_get(first, "run"));
    json_decref(root);
    return number > 0 && number <= UINT32_MAX ? (uint32_t)number : 1;
}

static int read_part(struct explored *explored, const char *directory, struct error *error)
{
    char path[PATH_MAX];
    struct kept_run run;
    path_of(path, directory, explored->count + 1, "run");
    if (kept_run_read(&run, path, error))
        return -1;
    path_of(path, directory, explored->count + 1, "json");
    explored->runs = memory_resize(explored->runs, explored->count + 1, sizeof *explored->runs);
    struct explored_run *part = &explored->runs[explored->count++];
    name_run(part, number_in(path), &run, explored->symbols, directory);
    kept_run_free(&run);
    return findings_file_read(part->findings, part->trace.history, path, error);
}

/* Runs have no address that stays before all are read. */
static void settle_traces(struct explored *explored, const struct options *options)
{
    for (size_t i = 0; i < explored->count; i++) {
        struct explored_run *part = &explored->runs[i];
        for (size_t k = 0; k < part->findings->count; k++)
            part->findings->items[k].engine = "explore";
        report_part(explored, part, options);
    }
}

int explored_read(struct explored *explored, const char *directory, const struct options *options,
                  struct error *error)
{
    char path[PATH_MAX];
    prepare(explored, directory);
    do {
        if (read_part(explored, directory, error))
            return -1;
        path_of(path, directory, explored->count + 1, "run");
    } while (explored->count < MOST_RUNS && access(path, F_OK) == 0);
    settle_traces(explored, options);
    return 0;
}
