/* SPDX-License-Identifier: MIT */
/* What predict and compare share: options to engines, engines over a trace. */
#ifndef PREPLAY_CLI_PREDICT_H
#define PREPLAY_CLI_PREDICT_H

#include "cli/options.h"
#include "engine/driver.h"
#include "report/json.h"

struct json_t;

struct prediction {
    struct trace *trace;
    struct engine_options engine_options;
    const struct engine **engines;
    size_t engine_count;
    struct driver driver;
    bool no_times;
    char *globs_text; /* of --atomic, cut at the commas */
    const char **globs;
};

/* Opens the trace and runs the engines that --engine names (or `standard`, or all
 * of the registry that predict if that is NULL). 0 or -1; prediction_free() in either case. */
int prediction_run(struct prediction *prediction, const struct options *options, const char *path,
                   const char *standard, struct error *error);
/* The same over a trace that is open, and belongs to the prediction from here on; NULL
 * says that opening it failed. */
int prediction_run_on(struct prediction *prediction, const struct options *options,
                      struct trace *trace, const char *standard, struct error *error);
/* Whether the options name engines and a model that there are: 0 or -1. */
int prediction_check(const struct options *options, const char *standard, struct error *error);
void prediction_free(struct prediction *prediction);

/* The engines as reports want them; the caller frees the array. */
struct report_engine *prediction_engines(const struct prediction *prediction);

/* The findings of all engines as JSON (docs/design.md, "The command line"); `run` may be NULL. */
int prediction_write_json(const struct prediction *prediction, const struct report_run *run,
                          const char *path, struct error *error);
void prediction_print_json(FILE *file, const struct prediction *prediction);
/* The same with more members of the outermost object, or NULL. */
int prediction_write_json_with(const struct prediction *prediction, const struct report_run *run,
                               struct json_t *extra, const char *path, struct error *error);
/* The same into the trace's own directory, for replay and report; text traces have none. */
int prediction_keep(const struct prediction *prediction, const struct report_run *run,
                    struct error *error);

#endif
