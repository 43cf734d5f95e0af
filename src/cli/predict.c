/* SPDX-License-Identifier: MIT */
#include "cli/predict.h"

#include "base/files.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/progress_line.h"
#include "model/sift.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

static int unknown_engine(const char *name, size_t length, struct error *error)
{
#ifndef PREPLAY_Z3
    if (length == 3 && memcmp(name, "smt", 3) == 0)
        return error_set(error, ERROR_USAGE,
                         "engine smt needs the solver Z3, which this build was made without");
#endif
    char list[512] = "";
    for (size_t i = 0; engine_registry[i]; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", engine_registry[i]->name);
    }
    return error_set(error, ERROR_USAGE, "no engine '%.*s'; there are: %s", (int)length, name,
                     list);
}

static int choose_engines(struct prediction *prediction, const char *names, struct error *error)
{
    size_t total = 0;
    while (engine_registry[total])
        total++;
    prediction->engines = NEW_ARRAY(const struct engine *, total);
    for (size_t i = 0; !names && i < total; i++)
        if (!engine_registry[i]->predicts_none)
            prediction->engines[prediction->engine_count++] = engine_registry[i];
    if (!names)
        return 0;
    for (const char *name = names; *name;) {
        size_t length = strcspn(name, ",");
        const struct engine *engine = engine_find(name, length);
        if (!engine)
            return unknown_engine(name, length, error);
        for (size_t i = 0; i < prediction->engine_count; i++)
            if (prediction->engines[i] == engine)
                return error_set(error, ERROR_USAGE, "engine %s is named twice", engine->name);
        prediction->engines[prediction->engine_count++] = engine;
        name += length + (name[length] == ',');
    }
    if (!prediction->engine_count)
        return error_set(error, ERROR_USAGE, "--engine names no engine");
    return 0;
}

static int choose_model(struct prediction *prediction, const char *name, struct error *error)
{
    if (!name)
        return 0;
    enum model model = model_parse(name);
    if (model == MODEL_COUNT)
        return error_set(error, ERROR_USAGE, "no model '%s'; there are rf, value, branch and sync",
                         name);
    bool any = false;
    for (size_t i = 0; i < prediction->engine_count; i++)
        any |= prediction->engines[i]->models >> model & 1;
    if (!any)
        return error_set(error, ERROR_USAGE, "none of the engines works under model %s", name);
    prediction->engine_options.model = model;
    return 0;
}

static void choose_blocks(struct prediction *prediction, const char *globs)
{
    if (!globs)
        return;
    size_t count = 0, length = strlen(globs);
    prediction->globs_text = memory_copy(globs, length + 1);
    prediction->globs = NEW_ARRAY(const char *, length + 2);
    for (char *rest = prediction->globs_text, *glob; (glob = strsep(&rest, ","));)
        if (*glob)
            prediction->globs[count++] = glob;
    prediction->engine_options.blocks = prediction->globs;
}

static int run_engines(struct prediction *prediction, const struct options *options,
                       struct trace *trace, const char *standard, struct progress *progress,
                       struct error *error)
{
    *prediction = (struct prediction){.trace = trace, .no_times = options->no_times};
    prediction->engine_options = (struct engine_options){
        .window = options->window == OPTION_UNSAID ? 0 : (uint32_t)options->window,
        .whole = options->window == 0,
        .jobs = (uint32_t)options->jobs,
        .every_pair = options->pairs,
        .advise = options->advise,
        .per_pair = options->per_pair,
        .budget = options->steps,
        .pair_seconds = options->pair_timeout,
        .progress = progress,
        .deal = options->deal,
        .observer = options->observer,
    };
    if (choose_engines(prediction, options->engines ? options->engines : standard, error) ||
        choose_model(prediction, options->model, error) || !trace)
        return -1;
    choose_blocks(prediction, options->atomic);
    return driver_run(&prediction->driver, trace, prediction->engines, prediction->engine_count,
                      &prediction->engine_options, error);
}

int prediction_run_on(struct prediction *prediction, const struct options *options,
                      struct trace *trace, const char *standard, struct error *error)
{
    return run_engines(prediction, options, trace, standard, NULL, error);
}

int prediction_run(struct prediction *prediction, const struct options *options, const char *path,
                   const char *standard, struct error *error)
{
    /* What is wrong with the options is said first. */
    if (prediction_check(options, standard, error)) {
        *prediction = (struct prediction){0};
        return -1;
    }
    struct progress_line line;
    struct progress *progress = progress_line_begin(&line, options, "reading the recording");
    int result =
        run_engines(prediction, options, sift_open(path, error), standard, progress, error);
    progress_line_end(&line);
    prediction->engine_options.progress = NULL;
    return result;
}

int prediction_check(const struct options *options, const char *standard, struct error *error)
{
    struct prediction prediction = {0};
    const char *names = options->engines ? options->engines : standard;
    int result = choose_engines(&prediction, names, error) ||
                         choose_model(&prediction, options->model, error)
                     ? -1
                     : 0;
    free(prediction.engines);
    return result;
}

void prediction_free(struct prediction *prediction)
{
    driver_free(&prediction->driver);
    trace_close(prediction->trace);
    free(prediction->engines);
    free(prediction->globs);
    free(prediction->globs_text);
}

struct report_engine *prediction_engines(const struct prediction *prediction)
{
    size_t count = prediction->driver.count;
    struct report_engine *engines = NEW_ARRAY(struct report_engine, count);
    for (size_t i = 0; i < count; i++) {
        const struct engine_run *run = &prediction->driver.runs[i];
        engines[i] = (struct report_engine){
            .name = run->engine->name,
            .model = engine_model(run),
            .seconds = prediction->no_times ? -1 : run->seconds,
            .candidates = run->candidates,
            .refuted = run->refuted,
            .exhausted = run->exhausted,
            .findings = run->findings,
        };
    }
    return engines;
}

int prediction_write_json(const struct prediction *prediction, const struct report_run *run,
                          const char *path, struct error *error)
{
    return prediction_write_json_with(prediction, run, NULL, path, error);
}

static void print_json(FILE *file, const struct prediction *prediction,
                       const struct report_run *run, struct json_t *extra)
{
    struct report_engine *engines = prediction_engines(prediction);
    struct report report;
    report_create(&report, prediction->trace, prediction->driver.history, prediction->trace->path,
                  engines, prediction->driver.count, true);
    report_leave_out(&report, NULL, NULL, NULL); /* nothing, but it groups by root cause */
    report.history = NULL;                       /* stacks and locks are the reports' own */
    report.run = run;
    report.extra = extra;
    report_json(file, &report);
    report_free(&report);
    free(engines);
}

void prediction_print_json(FILE *file, const struct prediction *prediction)
{
    print_json(file, prediction, NULL, NULL);
}

int prediction_write_json_with(const struct prediction *prediction, const struct report_run *run,
                               struct json_t *extra, const char *path, struct error *error)
{
    FILE *file = command_output(path, error);
    if (!file)
        return -1;
    print_json(file, prediction, run, extra);
    return command_close(file, path, error);
}

int prediction_keep(const struct prediction *prediction, const struct report_run *run,
                    struct error *error)
{
    char path[4200];
    struct new_file file;
    if (strcmp(prediction->trace->format->name, "binary") != 0)
        return 0;
    snprintf(path, sizeof path, "%s/findings.json", prediction->trace->path);
    if (files_begin(&file, path, error))
        return -1;
    print_json(file.stream, prediction, run, NULL);
    return files_commit(&file, error);
}
