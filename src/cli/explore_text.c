/* SPDX-License-Identifier: MIT */
#include "cli/explore_text.h"

#include "report/shell_words.h"
#include "report/text.h"
#include "report/words.h"

#include <string.h>

enum { STEPS_SHOWN = 60 };

static const char *op_text(uint8_t op)
{
    static const char *const texts[STEP_OPS] = {
        [STEP_NONE] = "runs",
        [STEP_READ] = "reads",
        [STEP_WRITE] = "writes",
        [STEP_UPDATE] = "updates",
        [STEP_FREE] = "frees",
        [STEP_LOCK] = "locks",
        [STEP_TRY_LOCK] = "tries to lock",
        [STEP_UNLOCK] = "unlocks",
        [STEP_READ_LOCK] = "locks for reading",
        [STEP_TRY_READ_LOCK] = "tries to lock for reading",
        [STEP_WRITE_LOCK] = "locks for writing",
        [STEP_TRY_WRITE_LOCK] = "tries to lock for writing",
        [STEP_UNLOCK_EITHER] = "unlocks",
        [STEP_QUEUE] = "begins to wait for",
        [STEP_AWAKE] = "waits for",
        [STEP_SIGNAL] = "signals",
        [STEP_BROADCAST] = "wakes all at",
        [STEP_ENTER] = "comes to the barrier",
        [STEP_LEAVE] = "waits at the barrier",
        [STEP_SET] = "initialises",
        [STEP_WAIT] = "waits for the semaphore",
        [STEP_TRY_WAIT] = "tries the semaphore",
        [STEP_POST] = "posts",
        [STEP_ONCE] = "begins once",
        [STEP_ONCE_DONE] = "ends once",
        [STEP_FORK] = "creates a thread",
        [STEP_JOIN] = "joins a thread",
        [STEP_END] = "ends",
    };
    return texts[op];
}

static void print_object(FILE *out, const struct explore_report *report, uint8_t op,
                         uint64_t object)
{
    uint64_t offset = 0;
    char member[256];
    if (op == STEP_NONE || op >= STEP_FORK)
        return;
    const char *name = symbols_data(report->symbols, object, &offset);
    if (!name) {
        fputs(op == STEP_FREE ? " a block of the heap" : " memory", out);
        return;
    }
    fputc(' ', out);
    report_safe_text(out, name);
    if (symbols_member(report->symbols, object, 0, member, sizeof member))
        report_safe_text(out, member);
}

static void print_place(FILE *out, const struct explore_report *report, uint64_t pc)
{
    if (!pc)
        return;
    fputs("  ", out);
    report_safe_text(out, symbols_line(report->symbols, pc));
}

static void print_steps(FILE *out, const struct explore_report *report,
                        const struct failure *failure)
{
    size_t count = failure->steps.count, first = count > STEPS_SHOWN ? count - STEPS_SHOWN : 0;
    fprintf(out, "\n  The run that shows it, %zu turn%s: who ran, up to which operation\n", count,
            count == 1 ? "" : "s");
    if (first)
        fprintf(out, "    ... %zu turns before these\n", first);
    for (size_t i = first; i < count; i++) {
        const struct failure_step *step = &failure->steps.items[i];
        fprintf(out, "  %4zu  %-8s %s", i + 1, step->path, op_text(step->op));
        print_object(out, report, step->op, step->object);
        print_place(out, report, step->pc);
        fputc('\n', out);
    }
}

static void print_title(FILE *out, const struct failure *failure)
{
    fprintf(out, "FAILURE %s: ", failure->id);
    switch (failure->kind) {
    case FAILURE_SIGNAL:
        fprintf(out, "the program was ended by SIG%s", sigabbrev_np(failure->number));
        break;
    case FAILURE_EXIT:
        fprintf(out, "exit code %d", failure->number);
        break;
    case FAILURE_DEADLOCK:
        fputs("deadlock, no thread can go on", out);
        break;
    case FAILURE_HANG:
        fputs("hang, what can go on only reads the same for ever", out);
        break;
    case FAILURE_AFTER_FREE:
        fputs("use of memory after it was freed", out);
        break;
    case FAILURE_CHECK:
        fprintf(out, "the check of its result ended with %d", failure->number);
        break;
    case FAILURE_OUTPUT:
        fputs("it printed something else than the first good run", out);
        break;
    default:
        fputs("memory was freed twice", out);
    }
    fprintf(out, ": %s\n", failure->repeated ? "confirmed" : "seen once");
}

static const char *said_by(const struct failure *failure)
{
    return failure->kind == FAILURE_CHECK    ? "  The check said: "
           : failure->kind == FAILURE_OUTPUT ? "  It differs in "
                                             : "  It said: ";
}

void explore_text_failure(FILE *out, const struct explore_report *report,
                          const struct failure *failure)
{
    fputs("==================\n", out);
    print_title(out, failure);
    if (*failure->text) {
        fputs(said_by(failure), out);
        report_safe_text(out, failure->text);
        fputc('\n', out);
    }
    fprintf(out, "  Run %u was the first that ended so, with %u preemption%s.\n\n", failure->run,
            failure->preemptions, failure->preemptions == 1 ? "" : "s");
    for (uint32_t i = 0; i < failure->place_count; i++) {
        const struct failure_place *place = &failure->places[i];
        const char *function = symbols_function(report->symbols, place->pc);
        fprintf(out, "  Thread %s %s", place->path,
                place->op == STEP_NONE ? "failed in or behind" : op_text(place->op));
        print_object(out, report, place->op, place->object);
        fputs(":\n    #0 ", out);
        report_safe_text(out, function ? function : "??");
        print_place(out, report, place->pc);
        fputc('\n', out);
    }
    print_steps(out, report, failure);
    fprintf(out, "\n  Again: %s replay ", report->tool);
    shell_word(out, report->directory);
    fprintf(out, " %s\n", failure->id);
}

static void print_limit(FILE *out, const struct explore_report *report)
{
    const struct exploration *exploration = report->exploration;
    if (report->limits->preemptions != UINT32_MAX)
        fprintf(out, " with at most %u preemption%s", report->limits->preemptions,
                report->limits->preemptions == 1 ? "" : "s");
    fprintf(out, " on this input were covered by %u run%s", exploration->runs,
            exploration->runs == 1 ? "" : "s");
}

static void print_number(FILE *out, size_t count, const char *one, const char *more)
{
    if (count)
        fprintf(out, ", %zu %s", count, count == 1 ? one : more);
}

/* What happened besides what failed. */
static void print_errors(FILE *out, const struct report *reports)
{
    size_t counts[FINDING_KINDS] = {0}, predicted = 0;
    for (; reports; reports = reports->next)
        for (size_t i = 0; i < reports->count; i++) {
            const struct finding *finding = reports->items[i];
            bool real = report_is_real(finding), failed = finding->model == MODEL_NONE;
            counts[finding->kind] += real && !failed;
            predicted += !real;
        }
    print_number(out, counts[FINDING_DEADLOCK], "deadlock", "deadlocks");
    print_number(out, counts[FINDING_RACE], "race", "races");
    print_number(out, counts[FINDING_ATOMICITY], "atomicity violation", "atomicity violations");
    print_number(out, predicted, "prediction that did not show", "predictions that did not show");
}

static void print_end(FILE *out, const struct explore_report *report, const struct report *reports)
{
    const struct exploration *exploration = report->exploration;
    size_t failures = exploration->failures.count;
    if (exploration->complete) {
        fputs("preplay: complete: all behaviours of this program", out);
        print_limit(out, report);
    } else {
        fprintf(out, "preplay: not complete: %u run%s, ", exploration->runs,
                exploration->runs == 1 ? "" : "s");
        if (exploration->open)
            fprintf(out, "at least %llu question%s open", (unsigned long long)exploration->open,
                    exploration->open == 1 ? "" : "s");
        else
            fputs("no open question that was found", out);
    }
    if (failures)
        fprintf(out, ", %zu failure%s", failures, failures == 1 ? "" : "s");
    else
        fputs(", none fails", out);
    print_errors(out, reports);
    fputc('\n', out);
}

void explore_text_end(FILE *out, const struct explore_report *report, const struct report *reports)
{
    bool any = false;
    for (const struct report *each = reports; each; each = each->next)
        any |= each->count > 0;
    if (any)
        fputs("==================\n", out);
    explore_text_summary(out, report, reports);
}

void explore_text_summary(FILE *out, const struct explore_report *report,
                          const struct report *reports)
{
    const struct exploration *exploration = report->exploration;
    print_end(out, report, reports);
    fprintf(out, "  %u behaviour%s, %u thread%s, %llu states in the last look, %.2f s.\n",
            exploration->behaviours, exploration->behaviours == 1 ? "" : "s", exploration->threads,
            exploration->threads == 1 ? "" : "s", (unsigned long long)exploration->states,
            exploration->seconds);
    if (*exploration->doubts)
        fprintf(out, "  As far as can be told: %s.\n", exploration->doubts);
}

/* --- JSON ---------------------------------------------------------------------------------------
 */

/* Threads by their names in hexadecimal: they do not fit into every reader's numbers. */
static json_t *schedule_json(const struct failure *failure)
{
    json_t *schedule = json_array();
    for (size_t i = 0; i < failure->turns.count; i++) {
        const struct step_turn *turn = &failure->turns.items[i];
        char name[20];
        snprintf(name, sizeof name, "%llx", (unsigned long long)turn->thread);
        json_array_append_new(schedule, json_pack("[s, I, I]", name, (json_int_t)turn->count,
                                                  (json_int_t)turn->waiter));
    }
    return schedule;
}

/* What a failure has besides what every finding has. */
static json_t *failure_json(const struct failure *failure)
{
    json_t *object = json_pack("{s:s, s:s, s:i, s:i, s:o, s:o}", "rule", failure_rule(failure),
                               "identity", failure->identity, "run", (int)failure->run,
                               "preemptions", (int)failure->preemptions, "text",
                               words_json(failure->text), "schedule", schedule_json(failure));
    if (*failure->explanation)
        json_object_set_new(object, "explanation", words_json(failure->explanation));
    return object;
}

json_t *explore_besides(const struct exploration *exploration)
{
    json_t *all = json_object();
    for (size_t i = 0; i < exploration->failures.count; i++) {
        const struct failure *failure = &exploration->failures.items[i];
        if (!json_object_get(all, failure->id))
            json_object_set_new(all, failure->id, failure_json(failure));
    }
    return all;
}

json_t *explore_json(const struct explore_report *report)
{
    const struct exploration *exploration = report->exploration;
    json_t *first = exploration->to_first_failure
                        ? json_integer((json_int_t)exploration->to_first_failure)
                        : json_null();
    json_t *counts =
        json_pack("{s:I, s:I, s:I, s:b, s:o, s:I, s:s, s:i}", "runs", (json_int_t)exploration->runs,
                  "behaviours", (json_int_t)exploration->behaviours, "open",
                  (json_int_t)exploration->open, "complete", exploration->complete,
                  "to_first_failure", first, "diverged", (json_int_t)exploration->diverged,
                  "doubts", exploration->doubts, "usual", exploration->usual);
    if (report->check)
        json_object_set_new(counts, "check", words_json(report->check));
    if (report->limits->same_output)
        json_object_set_new(counts, "same_output", json_true());
    return json_pack("{s:{s:I, s:I, s:I}, s:[{s:s, s:s, s:I, s:f}], s:o}", "trace", "events",
                     (json_int_t)exploration->events, "threads", (json_int_t)exploration->threads,
                     "objects", (json_int_t)exploration->objects, "engines", "name", "explore",
                     "model", "none", "findings", (json_int_t)exploration->failures.count,
                     "seconds", exploration->seconds, "exploration", counts);
}
