/* SPDX-License-Identifier: MIT */
/* preplay predict: engines over a trace, findings as text or JSON. */
#include "base/interruption.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/joined.h"
#include "cli/predict.h"
#include "cli/predict_many.h"
#include "cli/told_first.h"
#include "cli/trace_argument.h"
#include "report/text.h"

#include <string.h>

struct tally {
    size_t kinds[FINDING_KINDS];
    size_t hidden; /* candidates that were only counted */
    size_t errors; /* what the exit code is for: all but advice */
};

/* Candidates are shown if asked for: by --all, or by naming the engine. */
static bool shown(const struct options *options, const struct finding *finding)
{
    return finding->verdict != VERDICT_CANDIDATE || options->all || options->engines;
}

static void print_findings(FILE *out, const struct prediction *prediction,
                           const struct options *options, struct tally *tally)
{
    for (size_t i = 0; i < prediction->driver.count; i++) {
        const struct findings *findings = prediction->driver.runs[i].findings;
        for (size_t k = 0; k < findings->count; k++) {
            const struct finding *finding = &findings->items[k];
            if (!shown(options, finding)) {
                tally->hidden++;
                continue;
            }
            tally->kinds[finding->kind]++;
            tally->errors += finding->verdict != VERDICT_ADVICE;
            if (out)
                report_finding(out, prediction->trace, finding);
        }
    }
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void print_summary(FILE *out, const struct prediction *prediction, const struct tally *tally)
{
    const struct trace *trace = prediction->trace;
    fprintf(out, "%zu race%s, %zu deadlock%s, %zu atomicity violation%s", tally->kinds[0],
            plural(tally->kinds[0]), tally->kinds[1], plural(tally->kinds[1]), tally->kinds[2],
            plural(tally->kinds[2]));
    if (tally->kinds[FINDING_ORDER])
        fprintf(out, ", %zu order violation%s", tally->kinds[FINDING_ORDER],
                plural(tally->kinds[FINDING_ORDER]));
    if (tally->kinds[FINDING_MISUSE])
        fprintf(out, ", %zu misuse%s", tally->kinds[FINDING_MISUSE],
                plural(tally->kinds[FINDING_MISUSE]));
    if (tally->hidden)
        fprintf(out, "; %zu more candidate%s (--all lists them)", tally->hidden,
                plural(tally->hidden));
    uint32_t threads = trace_count(trace, CLASS_THREAD);
    uint32_t objects = trace_count(trace, CLASS_VARIABLE);
    fprintf(out, "\n%llu event%s, %u thread%s, %u object%s", (unsigned long long)trace->delivered,
            plural(trace->delivered), threads, plural(threads), objects, plural(objects));
    for (size_t i = 0; i < prediction->driver.count; i++) {
        const struct engine_run *run = &prediction->driver.runs[i];
        fprintf(out, "; %s", run->engine->name);
        if (!prediction->no_times)
            fprintf(out, " %.3f s", run->seconds);
        if (run->exhausted)
            fprintf(out, " (%llu of %llu candidates undecided)", (unsigned long long)run->exhausted,
                    (unsigned long long)run->candidates);
    }
    putc('\n', out);
}

/* What was not looked at is as good as not recorded. */
static void note_interruption(struct trace *trace)
{
    static const char reason[] = "predicting was interrupted";
    if (interruption_asked() && !trace->incomplete)
        trace->incomplete = memory_copy(reason, sizeof reason);
}

static void say_incomplete(const struct trace *trace)
{
    if (interruption_asked())
        fprintf(stderr, "preplay: %s: nothing is said about the rest\n", trace->incomplete);
    else if (trace->incomplete)
        fprintf(stderr,
                "preplay: the recording is incomplete (%s): nothing is said about what the program "
                "did after that\n",
                trace->incomplete);
}

/* What was found, as the user wants it; the exit code. */
static int tell(struct prediction *prediction, const struct options *options, struct error *error)
{
    bool json_on_stdout = options->json_file && strcmp(options->json_file, "-") == 0;
    FILE *out = json_on_stdout ? NULL : stdout;
    struct tally tally = {0};
    int code = EXIT_OK;
    print_findings(out, prediction, options, &tally);
    if (out)
        print_summary(out, prediction, &tally);
    note_interruption(prediction->trace);
    say_incomplete(prediction->trace);
    if (tally.errors)
        code = (int)options->exit_code;
    else if (prediction->trace->incomplete)
        code = EXIT_INCOMPLETE;
    if (!interruption_asked() && prediction_keep(prediction, NULL, error))
        code = -1;
    if (options->json_file && prediction_write_json(prediction, NULL, options->json_file, error))
        code = -1;
    return code;
}

static int predict_one(struct options *options, struct cluster *cluster, struct error *error)
{
    struct prediction prediction = {0};
    struct told_first told;
    if (trace_argument(options, error) ||
        joined_checkpoint(cluster, options, options->arguments, 1, error))
        return -1;
    told_first_begin(&told, options, NULL);
    int code = prediction_run(&prediction, options, options->arguments[0], "auto", error);
    if (code == 0 && joined_first(options))
        code = tell(&prediction, options, error);
    prediction_free(&prediction);
    return code;
}

/* A rank among several cannot come to an end by itself: it ends with the others, and --resume goes
 * on. */
static void expect_interruption(const struct options *options)
{
    if (!options->deal || options->deal->ranks == 1)
        interruption_expect(
            "\npreplay: interrupted: what is known so far follows; once more ends it\n",
            "preplay: ended\n");
}

int cmd_predict(struct options *options, struct error *error)
{
    struct cluster *cluster;
    if (predict_list(options, error) || joined_begin(&cluster, options, error))
        return -1;
    bool many = options->argument_count > 1;
    if (many && !cluster)
        joined_alone(&cluster, options);
    expect_interruption(options);
    int code = many ? predict_many(options, cluster, error) : predict_one(options, cluster, error);
    code = joined_end(cluster, options, code, error);
    if (code == EXIT_INCOMPLETE)
        interruption_end();
    return code;
}
