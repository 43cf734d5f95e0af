/* preplay replay: the program again, under the schedules of its findings. */
#include "base/array.h"
#include "cli/command.h"
#include "cli/debugging.h"
#include "cli/replaying.h"
#include "cli/reporting.h"
#include "cli/side_by_side.h"
#include "cli/verdicts.h"
#include "report/findings_file.h"
#include "report/full_text.h"
#include "report/text.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NOT_ALL_CONFIRMED 1

struct job {
    struct trace *trace;
    struct history *history;
    struct findings *findings;
    struct replay_program program;
};

static int open_job(struct job *job, const char *path, struct error *error)
{
    char file[4200];
    job->trace = trace_open(path, error);
    if (!job->trace)
        return -1;
    job->history = history_read(job->trace, error);
    if (!job->history || replay_program_read(&job->program, path, error))
        return -1;
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
        if (strcmp(options->arguments[i], id) == 0)
            return true;
    return false;
}

static void print_others(const struct replay_outcome *outcome, const char *id)
{
    for (size_t i = 0; outcome->seen && i < outcome->seen->count; i++) {
        char other[FINDING_ID_SIZE];
        finding_id(&outcome->seen->items[i], outcome->trace, other);
        if (strcmp(other, id) == 0)
            continue;
        fputs("  also seen: ", stdout);
        report_finding(stdout, outcome->trace, &outcome->seen->items[i]);
    }
}

/* Under gdb: the first wanted finding. GDB words for tests come from PREPLAY_GDB. */
static int debug_one(struct job *job, const struct finding *finding, bool fine, struct error *error)
{
    static const char *words[16];
    static char copy[1024];
    const char *wanted_words = getenv("PREPLAY_GDB");
    size_t count = 0;
    snprintf(copy, sizeof copy, "%s", wanted_words ? wanted_words : "");
    for (char *word = strtok(copy, " "); word && count < 15; word = strtok(NULL, " "))
        words[count++] = word;
    fflush(stdout);
    return debugging_run(&job->program, job->history, finding,
                         fine ? SCHEDULE_FINE : SCHEDULE_NEEDED, words, error);
}

/* --- one replay ------------------------------------------------------------------ */

/* What became of a finding: shared with the processes that replay it. */
struct result {
    _Atomic uint32_t confirmed, replayed;
    enum verdict verdict; /* of the first replay, or confirmed */
    char reason[512];
};

struct task {
    struct job *job;
    const struct options *options;
    struct chosen ARRAY_OF(struct finding *) chosen;
    struct result *results; /* of the chosen ones, in shared memory */
};

static void note_result(struct result *result, const struct replay_outcome *outcome)
{
    bool confirmed = outcome->verdict == VERDICT_CONFIRMED;
    bool first = atomic_fetch_add(&result->replayed, 1) == 0;
    if (first || (confirmed && !atomic_load(&result->confirmed))) {
        result->verdict = outcome->verdict;
        memcpy(result->reason, outcome->reason, sizeof result->reason);
    }
    atomic_fetch_add(&result->confirmed, confirmed);
}

static void print_outcome(const struct task *task, const struct replay_outcome *outcome,
                          const char *id)
{
    bool once = task->options->times == 1;
    if (once || outcome->verdict != VERDICT_CONFIRMED)
        printf("%s %s: %s (%.2f s)\n", id, verdict_text(outcome->verdict), outcome->reason,
               outcome->seconds);
    if (once)
        print_others(outcome, id);
    fflush(stdout);
}

/* Each replay is a task; those of one finding follow each other. */
static int replay_task(void *context, size_t number)
{
    struct task *task = context;
    const struct options *options = task->options;
    size_t which = number / options->times;
    struct finding *finding = task->chosen.items[which];
    struct error error = {0};
    struct replay_outcome outcome;
    struct replay_manner manner = {
        .timeout = options->timeout,
        .lane = (unsigned)(number % options->jobs),
        .detail = SCHEDULE_FINE,
        .scratch = options->scratch,
    };
    char id[FINDING_ID_SIZE];
    uint32_t runs;
    finding_id(finding, task->job->trace, id);
    int result = options->fine ? replaying_run(&outcome, &task->job->program, task->job->history,
                                               finding, &manner, &error)
                               : replaying_try(&outcome, &task->job->program, task->job->history,
                                               finding, manner, &runs, &error);
    if (result) {
        fprintf(stderr, "preplay: %s: %s\n", id, error.text);
        return (int)error.code;
    }
    note_result(&task->results[which], &outcome);
    print_outcome(task, &outcome, id);
    int code = outcome.verdict == VERDICT_CONFIRMED ? EXIT_OK : NOT_ALL_CONFIRMED;
    replay_outcome_free(&outcome);
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
        .items = (const struct finding **)task->chosen.items,
        .count = task->chosen.count,
    };
    report_text_findings(stdout, &report, text_style_of(stdout));
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
            finding_settle(task->chosen.items[i], result->verdict, result->reason);
        if (result->replayed &&
            verdicts_keep(task->options->arguments[0], task->chosen.items[i], id, error))
            return -1;
    }
    if (task->options->times == 1)
        print_in_full(task);
    return 0;
}

static int replay_chosen(struct task *task, struct error *error)
{
    size_t size = task->chosen.count * sizeof *task->results;
    task->results = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (task->results == MAP_FAILED)
        return error_set(error, ERROR_INTERNAL, "no memory for %zu results", task->chosen.count);
    int code = side_by_side(task->chosen.count * task->options->times, task->options->jobs,
                            replay_task, task, error);
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
    else if (task.chosen.count && options->gdb)
        code = debug_one(job, task.chosen.items[0], options->fine, error);
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
    if (!options->argument_count)
        return error_set(error, ERROR_USAGE, "preplay replay takes a TRACE and perhaps IDs");
    struct job job = {0};
    int code = open_job(&job, options->arguments[0], error);
    if (code == 0)
        code = replay_all(&job, options, error);
    close_job(&job);
    return code;
}
