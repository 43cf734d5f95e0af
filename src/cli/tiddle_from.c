/* SPDX-License-Identifier: MIT */
#include "cli/tiddle_from.h"

#include "base/array.h"
#include "engine/driver.h"
#include "model/sift.h"
#include "report/findings_file.h"
#include "report/text.h"
#include "tiddle/slice.h"
#include "trace/formats.h"
#include "trace/std_writer.h"
#include "trace/finding_id.h"

#include <stdio.h>
#include <unistd.h>

#define SLICE_TESTS 3000 /* engine runs on ever shorter traces */

struct search {
    const struct trace *trace;
    const struct finding *finding;
    const struct engine *engine;
};

static char *write_std(const struct trace *trace, const struct event *events, uint32_t count,
                       size_t *length)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    for (uint32_t i = 0; i < count; i++)
        std_write_event(out, trace, &events[i]);
    fclose(out);
    return text;
}

/* Where the culprit was observed is not part of the error: an excerpt in which it strikes
 * shows best what was predicted. */
static bool is_shown(const struct search *search, const struct finding *found,
                     const struct trace *trace)
{
    struct finding shown = *found;
    if (found->error == ATOMICITY_IN)
        shown.error = search->finding->error;
    return finding_same(search->finding, search->trace, &shown, trace);
}

static bool shows(const struct event *events, uint32_t count, void *context)
{
    const struct search *search = context;
    const struct engine_options options = {.jobs = 1};
    struct error error = {0};
    size_t length;
    char *text = write_std(search->trace, events, count, &length);
    struct trace *trace = std_open_memory("slice", text, length);
    struct driver driver = {0};
    bool found = false;
    if (driver_run(&driver, trace, &search->engine, 1, &options, &error) == 0)
        for (size_t i = 0; !found && i < driver.runs[0].findings->count; i++)
            found = is_shown(search, &driver.runs[0].findings->items[i], trace);
    driver_free(&driver);
    trace_close(trace);
    free(text);
    return found;
}

/* The findings that `preplay predict` or `run` left with the trace, or else those
 * that auto finds now. */
static int find_findings(struct findings *findings, const struct history *history, const char *path,
                         struct error *error)
{
    char file[4200];
    snprintf(file, sizeof file, "%s/findings.json", path);
    if (access(file, R_OK) == 0)
        return findings_file_read(findings, history, file, error);
    const struct engine *engine = engine_find("auto", 4);
    const struct engine_options options = {.jobs = 1};
    struct trace *trace = sift_open(path, error);
    struct driver driver = {0};
    int code = trace ? driver_run(&driver, trace, &engine, 1, &options, error) : -1;
    for (size_t i = 0; code == 0 && i < driver.runs[0].findings->count; i++)
        findings_add(findings, &driver.runs[0].findings->items[i]);
    driver_free(&driver);
    trace_close(trace);
    return code;
}

static const struct finding *choose(const struct findings *findings, const struct trace *trace,
                                    const char *id, const char *path, struct error *error)
{
    char list[512] = "", own[FINDING_ID_SIZE];
    for (size_t i = 0; i < findings->count; i++) {
        size_t used = strlen(list);
        finding_id(&findings->items[i], trace, own);
        if (id && finding_id_means(id, own))
            return &findings->items[i];
        if (used + FINDING_ID_SIZE + 2 < sizeof list)
            snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", own);
    }
    if (!findings->count)
        error_set(error, ERROR_INPUT, "%s: no findings", path);
    else if (!id && findings->count == 1)
        return &findings->items[0];
    else if (id)
        error_set(error, ERROR_USAGE, "%s: no finding %s; there are: %s", path, id, list);
    else
        error_set(error, ERROR_USAGE, "%s: which finding? There are: %s", path, list);
    return NULL;
}

static char *describe(const struct trace *trace, const struct finding *finding)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    report_finding(out, trace, finding);
    fclose(out);
    text[strcspn(text, "\n")] = '\0';
    return text;
}

static int cut_out(struct excerpt *excerpt, const struct history *history,
                   const struct finding *finding, struct error *error)
{
    const char *name = finding->engine ? finding->engine : "auto";
    struct search search = {.trace = history->trace, .finding = finding};
    search.engine = engine_find(name, strlen(name));
    if (!search.engine)
        search.engine = engine_find("auto", 4);
    struct slice slice = {.history = history,
                          .finding = finding,
                          .shows = shows,
                          .context = &search,
                          .tests = SLICE_TESTS};
    uint32_t count;
    size_t length;
    if (finding->events[0].pos >= history->count)
        return error_set(error, ERROR_INPUT,
                         "%s: what happened at the run's end was never performed: only what is "
                         "predicted can be cut out",
                         history->trace->path);
    struct event *events = slice_finding(&slice, &count);
    if (!events)
        return error_set(error, ERROR_INPUT,
                         "%s: engine %s does not find this again in what its witness executes",
                         history->trace->path, search.engine->name);
    excerpt->text = write_std(history->trace, events, count, &length);
    free(events);
    excerpt->trace = std_open_memory(history->trace->path, excerpt->text, length);
    excerpt->history = history_read(excerpt->trace, error);
    return excerpt->history ? 0 : -1;
}

int excerpt_make(struct excerpt *excerpt, const struct options *options, struct error *error)
{
    *excerpt = (struct excerpt){0};
    if (options->argument_count > 1)
        return error_set(error, ERROR_USAGE, "preplay tiddle --from TRACE takes one ID");
    excerpt->source = sift_open(options->from, error);
    struct history *history = excerpt->source ? history_read(excerpt->source, error) : NULL;
    if (!history)
        return -1;
    struct findings *findings = findings_create(false);
    int code = find_findings(findings, history, options->from, error);
    const struct finding *finding = NULL;
    if (code == 0)
        finding = choose(findings, excerpt->source, options->arguments[0], options->from, error);
    code = finding ? cut_out(excerpt, history, finding, error) : -1;
    if (code == 0)
        excerpt->title = describe(excerpt->source, finding);
    findings_destroy(findings);
    history_destroy(history);
    return code;
}

void excerpt_free(struct excerpt *excerpt)
{
    history_destroy(excerpt->history);
    trace_close(excerpt->trace);
    trace_close(excerpt->source);
    free(excerpt->text);
    free(excerpt->title);
}
