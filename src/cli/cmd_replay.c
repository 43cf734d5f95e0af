/* preplay replay: the program again, under the schedules of its findings. */
#include "base/array.h"
#include "cli/command.h"
#include "cli/debugging.h"
#include "cli/replaying.h"
#include "cli/side_by_side.h"
#include "report/findings_file.h"
#include "report/text.h"

#include <stdlib.h>
#include <string.h>

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
static int debug_one(struct job *job, const struct finding *finding, struct error *error)
{
    static const char *words[16];
    static char copy[1024];
    const char *wanted_words = getenv("PREPLAY_GDB");
    size_t count = 0;
    snprintf(copy, sizeof copy, "%s", wanted_words ? wanted_words : "");
    for (char *word = strtok(copy, " "); word && count < 15; word = strtok(NULL, " "))
        words[count++] = word;
    fflush(stdout);
    return debugging_run(&job->program, job->history, finding, words, error);
}

/* Returns how many of the replays confirmed the finding, or -1. */
static long replay_one(struct job *job, const struct finding *finding, const char *id,
                       const struct options *options, struct error *error)
{
    long confirmed = 0;
    for (uint64_t i = 0; i < options->times; i++) {
        struct replay_outcome outcome;
        struct replay_manner manner = {.timeout = options->timeout, .fine = options->fine};
        if (replaying_run(&outcome, &job->program, job->history, finding, &manner, error))
            return -1;
        confirmed += outcome.verdict == VERDICT_CONFIRMED;
        if (options->times == 1 || outcome.verdict != VERDICT_CONFIRMED)
            printf("%s %s: %s (%.2f s)\n", id, verdict_text(outcome.verdict), outcome.reason,
                   outcome.seconds);
        if (options->times == 1)
            print_others(&outcome, id);
        fflush(stdout);
        replay_outcome_free(&outcome);
    }
    if (options->times > 1)
        printf("%s confirmed %ld of %llu times\n", id, confirmed,
               (unsigned long long)options->times);
    return confirmed;
}

struct task {
    struct job *job;
    const struct options *options;
    struct chosen ARRAY_OF(const struct finding *) chosen;
};

/* Exit code of one finding's replays. */
static int replay_task(void *context, size_t number)
{
    struct task *task = context;
    struct error error = {0};
    char id[FINDING_ID_SIZE];
    const struct finding *finding = task->chosen.items[number];
    finding_id(finding, task->job->trace, id);
    long confirmed = replay_one(task->job, finding, id, task->options, &error);
    if (confirmed < 0) {
        fprintf(stderr, "preplay: %s: %s\n", id, error.text);
        return error.code;
    }
    return (uint64_t)confirmed < task->options->times ? NOT_ALL_CONFIRMED : EXIT_OK;
}

static int replay_all(struct job *job, const struct options *options, struct error *error)
{
    struct task task = {.job = job, .options = options};
    for (size_t i = 0; i < job->findings->count; i++) {
        char id[FINDING_ID_SIZE];
        const struct finding *finding = &job->findings->items[i];
        finding_id(finding, job->trace, id);
        if (wanted(options, finding, id))
            array_push(&task.chosen, finding);
    }
    int code = EXIT_OK;
    if (!task.chosen.count && options->argument_count > 1)
        code = error_set(error, ERROR_USAGE, "no finding %s in %s (preplay predict lists them)",
                         options->arguments[1], options->arguments[0]);
    else if (task.chosen.count && options->gdb)
        code = debug_one(job, task.chosen.items[0], error);
    else
        code = side_by_side(task.chosen.count, options->jobs, replay_task, &task, error);
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
