/* SPDX-License-Identifier: MIT */
/* preplay replay: the program again, under the schedules of its findings. */
#include "base/array.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/explore_replay.h"
#include "model/sift.h"
#include "explore/failures_file.h"
#include "replay/debugging.h"
#include "replay/settling.h"
#include "cli/progress_line.h"
#include "cli/reporting.h"
#include "cli/trace_argument.h"
#include "target/side_by_side.h"
#include "replay/trust.h"
#include "replay/verdicts.h"
#include "target/sandbox.h"
#include "report/findings_file.h"
#include "report/full_text.h"
#include "report/text.h"
#include "trace/finding_id.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define NOT_ALL_CONFIRMED 1

struct job {
    struct trace *trace;
    struct history *history;
    struct findings *findings;
    struct replay_program program;
};

static void say_missing(const struct replay_program *program)
{
    for (size_t i = 0; program->missing[i]; i++) {
        fputs("preplay: the recorded run had ", stderr);
        report_safe_text(stderr, program->missing[i]);
        fputs(" in its environment, which was not recorded (--no-env) and is not set now\n",
              stderr);
    }
}

static int open_job(struct job *job, const char *path, struct error *error)
{
    char file[4200];
    job->trace = sift_open(path, error);
    if (!job->trace)
        return -1;
    job->history = history_read(job->trace, error);
    if (!job->history || replay_program_read(&job->program, path, error))
        return -1;
    say_missing(&job->program);
    job->findings = findings_create(true);
    snprintf(file, sizeof file, "%s/findings.json", path);
    if (access(file, F_OK))
        return error_set(error, ERROR_INPUT, "%s: no findings yet (preplay predict %s)", path,
                         path);
    return findings_file_read(job->findings, job->history, file, error);
}

static void close_job(struct job *job)
{
    if (job->program.manifest)
        replay_program_free(&job->program);
    findings_destroy(job->findings);
    history_destroy(job->history);
    trace_close(job->trace);
}

static bool wanted(const struct options *options, const struct finding *finding, const char *id)
{
    if (options->argument_count == 1)
        return finding->witness != NULL;
    for (size_t i = 1; i < options->argument_count; i++)
        if (finding_id_means(options->arguments[i], id))
            return true;
    return false;
}

/* Under a debugger: the first wanted finding. Words for tests come from PREPLAY_GDB, PREPLAY_LLDB.
 */
static int debug_one(struct job *job, const struct finding *finding, const struct options *options,
                     struct error *error)
{
    static const char *words[16];
    static char copy[1024];
    const char *wanted_words = getenv(options->lldb ? "PREPLAY_LLDB" : "PREPLAY_GDB");
    size_t count = 0;
    snprintf(copy, sizeof copy, "%s", wanted_words ? wanted_words : "");
    for (char *word = strtok(copy, " "); word && count < 15; word = strtok(NULL, " "))
        words[count++] = word;
    fflush(stdout);
    return debugging_run(options->lldb ? DEBUGGER_LLDB : DEBUGGER_GDB, &job->program, job->history,
                         finding, options->fine ? SCHEDULE_FINE : SCHEDULE_NEEDED, words, error);
}

/* --- one replay ------------------------------------------------------------------ */

/* What became of a finding: shared with the processes that replay it. */
struct result {
    _Atomic uint32_t confirmed, replayed;
    struct settled settled; /* of the first replay, or of the first that showed it */
};

struct task {
    struct job *job;
    const struct options *options;
    struct chosen ARRAY_OF(struct finding *) chosen;
    struct result *results; /* of the chosen ones, in shared memory */
    size_t lanes;           /* replays at a time */
    double started;
};

/* Nobody asked for it, and it was not expected to come to anything. */
static bool is_by_the_way(const struct options *options, const struct finding *finding)
{
    return options->argument_count == 1 && finding->kind == FINDING_ORDER &&
           finding->verdict == VERDICT_CANDIDATE;
}

static void note_result(struct result *result, const struct settled *settled)
{
    bool confirmed = settled->verdict == VERDICT_CONFIRMED;
    bool first = atomic_fetch_add(&result->replayed, 1) == 0;
    if (first || (confirmed && !atomic_load(&result->confirmed)))
        result->settled = *settled;
    atomic_fetch_add(&result->confirmed, confirmed);
}

static void print_others(const struct job *job, const struct settled *settled)
{
    for (uint32_t i = 0; i < settled->seen_count; i++) {
        const struct finding *known = NULL;
        char id[FINDING_ID_SIZE];
        for (size_t k = 0; k < job->findings->count && !known; k++) {
            finding_id(&job->findings->items[k], job->trace, id);
            known = strcmp(id, settled->seen[i]) == 0 ? &job->findings->items[k] : NULL;
        }
        fputs("  also seen: ", stdout);
        if (known)
            report_finding(stdout, job->trace, known);
        else
            printf("%s\n", settled->seen[i]);
    }
}

static void print_outcome(const struct task *task, const struct settled *settled, const char *id)
{
    bool once = task->options->times == 1;
    if (once || settled->verdict != VERDICT_CONFIRMED)
        printf("%s %s: %s (%.2f s)\n", id, verdict_text(settled->verdict), settled->reason,
               settled->seconds);
    if (once)
        print_others(task->job, settled);
    fflush(stdout);
}

/* Schedule after schedule until one shows something: what is likely to do, then less, then more. */
static int try_all(struct settling *settling, const struct finding *finding,
                   struct settled *settled, struct error *error)
{
    struct settled *next = NEW(struct settled);
    int result = settling_try(settling, finding, SCHEDULE_NEEDED, settled, error);
    bool ordered = settled->ordered_accesses;
    for (enum schedule_detail detail = ordered ? SCHEDULE_PLAIN : SCHEDULE_FINE;
         !result && detail <= SCHEDULE_FINE && !settled->reached && !settled->failed &&
         !settled->harmless && settled->verdict != VERDICT_TIMEOUT && !settled->interrupted;
         detail++) {
        result = settling_try(settling, finding, detail, next, error);
        if (!result && (next->reached || next->failed))
            *settled = *next;
    }
    free(next);
    return result;
}

/* Without any further questions: for those who count. */
static int run_once(const struct task *task, const struct finding *finding, unsigned lane,
                    struct settled *settled, struct error *error)
{
    const struct options *options = task->options;
    struct replay_outcome outcome;
    uint32_t runs;
    struct replay_manner manner = {
        .timeout = options->timeout,
        .lane = lane,
        .detail = SCHEDULE_FINE,
    };
    int result = options->fine ? replaying_run(&outcome, &task->job->program, task->job->history,
                                               finding, &manner, error)
                               : replaying_try(&outcome, &task->job->program, task->job->history,
                                               finding, manner, &runs, error);
    if (result)
        return -1;
    *settled = (struct settled){.verdict = outcome.verdict, .seconds = outcome.seconds};
    snprintf(settled->reason, sizeof settled->reason, "%s", outcome.reason);
    replay_outcome_free(&outcome);
    return 0;
}

static int replay_one(const struct task *task, const struct finding *finding, unsigned lane,
                      struct settled *settled, struct error *error)
{
    const struct options *options = task->options;
    struct settling settling = {
        .program = &task->job->program,
        .history = task->job->history,
        .timeout = options->timeout,
        .consequences = true,
    };
    bool kept = settling_has_kept(&settling, finding);
    int result;
    settling.lane = lane;
    if (kept && !options->fine)
        result = settling_again(&settling, finding, settled, error);
    else if (options->times == 1 && !options->fine)
        result = try_all(&settling, finding, settled, error);
    else
        result = run_once(task, finding, lane, settled, error);
    settling_free(&settling);
    return result;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void show_progress(const struct task *task, size_t number, const char *id)
{
    size_t total = task->chosen.count * task->options->times;
    uint32_t confirmed = 0;
    if (!progress_line_wanted(task->options))
        return;
    for (size_t i = 0; i < task->chosen.count; i++)
        confirmed += atomic_load(&task->results[i].confirmed);
    fprintf(stderr, "\r\033[Kpreplay: replaying, %zu of %zu, %u confirmed", number + 1, total,
            confirmed);
    if (number)
        fprintf(stderr, ", about %.0f s left",
                (now() - task->started) / (double)number * (double)(total - number));
    fprintf(stderr, "; now %s", id);
    fflush(stderr);
}

/* Each replay is a task; those of one finding follow each other. */
static int replay_task(void *context, size_t number)
{
    struct task *task = context;
    const struct options *options = task->options;
    size_t which = number / options->times;
    struct finding *finding = task->chosen.items[which];
    struct error error = {0};
    char id[FINDING_ID_SIZE];
    struct settled *settled = NEW(struct settled);
    finding_id(finding, task->job->trace, id);
    show_progress(task, number, id);
    int result = replay_one(task, finding, (unsigned)(number % task->lanes), settled, &error);
    if (progress_line_wanted(options))
        progress_line_clear();
    if (result) {
        fprintf(stderr, "preplay: %s: %s\n", id, error.text);
        free(settled);
        return (int)error.code;
    }
    note_result(&task->results[which], settled);
    print_outcome(task, settled, id);
    bool good = settled->verdict == VERDICT_CONFIRMED || settled->verdict == VERDICT_OBSERVED ||
                is_by_the_way(options, finding);
    int code = good ? EXIT_OK : NOT_ALL_CONFIRMED;
    free(settled);
    return code;
}

/* --- all of them ------------------------------------------------------------------ */

/* Every finding that was replayed, with its stacks, locks and threads. */
static void print_in_full(const struct task *task)
{
    struct job *job = task->job;
    char tool[PATH_MAX];
    struct report report = {
        .tool = reporting_tool(tool),
        .trace = job->trace,
        .history = job->history,
        .path = task->options->arguments[0],
        .directory = job->program.directory,
        .source_roots = task->options->source_root,
        .items = (const struct finding **)task->chosen.items,
        .count = task->chosen.count,
    };
    report_look(&report);
    report_text_findings(stdout, &report, text_style_of(stdout));
    report_forget(&report);
}

static int settle_all(const struct task *task, struct error *error)
{
    for (size_t i = 0; i < task->chosen.count; i++) {
        const struct result *result = &task->results[i];
        char id[FINDING_ID_SIZE];
        finding_id(task->chosen.items[i], task->job->trace, id);
        if (task->options->times > 1)
            printf("%s confirmed %u of %llu times\n", id, result->confirmed,
                   (unsigned long long)task->options->times);
        if (result->replayed)
            settled_apply(&result->settled, task->chosen.items[i]);
        if (result->replayed && verdicts_keep(task->options->arguments[0], task->chosen.items[i],
                                              id, task->job->trace, error))
            return -1;
    }
    if (task->options->times == 1)
        print_in_full(task);
    return 0;
}

static int keep_apart(struct task *task, struct error *error)
{
    struct replay_program *program = &task->job->program;
    program->live_inputs = task->options->live_inputs;
    if (replay_program_keep_apart(program, task->options->arguments[0], task->options->in_place,
                                  error))
        return -1;
    const char *note = sandbox_note(program->sandbox);
    if (*note)
        fprintf(stderr, "preplay: %s\n", note);
    return 0;
}

/* Unless the user says how many: as many as there are processors for, if they can be kept apart. */
static size_t lanes(const struct task *task)
{
    if (task->options->jobs_said)
        return (size_t)task->options->jobs;
    return sandbox_beside_others(task->job->program.sandbox) ? side_by_side_free() : 1;
}

static int replay_chosen(struct task *task, struct error *error)
{
    size_t size = task->chosen.count * sizeof *task->results;
    task->results = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (task->results == MAP_FAILED)
        return error_set(error, ERROR_INTERNAL, "no memory for %zu results", task->chosen.count);
    task->started = now();
    task->lanes = lanes(task);
    int code = side_by_side(task->chosen.count * task->options->times, task->lanes, replay_task,
                            task, error);
    if (code >= 0 && settle_all(task, error))
        code = -1;
    munmap(task->results, size);
    return code;
}

static int replay_all(struct job *job, const struct options *options, struct error *error)
{
    struct task task = {.job = job, .options = options};
    for (size_t i = 0; i < job->findings->count; i++) {
        char id[FINDING_ID_SIZE];
        struct finding *finding = &job->findings->items[i];
        finding_id(finding, job->trace, id);
        if (wanted(options, finding, id))
            array_push(&task.chosen, finding);
    }
    int code = EXIT_OK;
    if (!task.chosen.count && options->argument_count > 1)
        code = error_set(error, ERROR_USAGE, "no finding %s in %s (preplay predict lists them)",
                         options->arguments[1], options->arguments[0]);
    else if (task.chosen.count && keep_apart(&task, error))
        code = -1;
    else if (task.chosen.count && (options->gdb || options->lldb))
        code = debug_one(job, task.chosen.items[0], options, error);
    else if (task.chosen.count)
        code = replay_chosen(&task, error);
    else
        fprintf(stderr, "preplay: nothing to replay: no finding in %s has a schedule\n",
                options->arguments[0]);
    array_free(&task.chosen);
    return code;
}

int cmd_replay(struct options *options, struct error *error)
{
    if (trace_argument(options, error) ||
        trace_lock_replay(&options->lock, options->arguments[0], error))
        return -1;
    if (!options->trust && trust_check(options->arguments[0], error))
        return -1;
    if (failures_file_is_in(options->arguments[0]))
        return explore_replay(options, error);
    struct job job = {0};
    int code = open_job(&job, options->arguments[0], error);
    if (code == 0)
        code = replay_all(&job, options, error);
    close_job(&job);
    return code;
}
