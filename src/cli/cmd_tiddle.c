/* SPDX-License-Identifier: MIT */
/* preplay tiddle: traces become C programs and equivalent traces, are formatted
 * and completed, made at random or cut out of others. */
#include "cli/command.h"
#include "cli/tiddle_code.h"
#include "cli/tiddle_from.h"
#include "cli/trace_argument.h"
#include "cli/tiddle_orders.h"
#include "cli/tiddle_run.h"
#include "tiddle/complete.h"
#include "tiddle/generator.h"
#include "tiddle/program.h"
#include "tiddle/reader.h"
#include "tiddle/sample.h"
#include "tiddle/writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM_ORDERS 100000 /* rows of a program's table of orders */

static int parse_order(const char *text, enum program_order *order, struct error *error)
{
    static const char *const texts[] = {[PROGRAM_TURNS] = "barrier",
                                        [PROGRAM_NONE] = "none",
                                        [PROGRAM_SLEEP] = "sleep",
                                        [PROGRAM_YIELD] = "yield"};
    *order = PROGRAM_TURNS;
    for (size_t i = 0; text && i < sizeof texts / sizeof *texts; i++) {
        *order = (enum program_order)i;
        if (strcmp(text, texts[i]) == 0)
            return 0;
    }
    if (!text)
        return 0;
    return error_set(error, ERROR_USAGE, "--order takes barrier, none, sleep or yield, not '%s'",
                     text);
}

static void print_history(FILE *out, const struct history *history)
{
    for (uint32_t pos = 0; pos < history->count; pos++)
        tiddle_write_event(out, history->trace, &history->events[pos], pos + 1);
}

/* A random trace's locations say nothing that its lines do not. */
static void print_operations(FILE *out, const struct history *history)
{
    for (uint32_t pos = 0; pos < history->count; pos++) {
        tiddle_write_operation(out, history->trace, &history->events[pos]);
        putc('\n', out);
    }
}

static void print_completed(FILE *out, struct trace *trace, const struct history *history)
{
    struct completion completion;
    tiddle_complete(trace, history, &completion);
    print_history(out, completion.history);
    completion_free(&completion);
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int write_program(const struct options *options, struct trace *trace,
                         const struct history *history, FILE *out, struct error *error)
{
    struct program_options program = {.name = file_name(trace->path), .lines = options->lines};
    if (parse_order(options->order, &program.order, error))
        return -1;
    if (!options->equivalent)
        return tiddle_write_program(out, trace, history, &program, error);
    struct orders *orders = orders_create(history, options->equivalent, options->seed);
    orders_limit(orders, PROGRAM_ORDERS);
    program.next_order = orders_next;
    program.source = orders;
    int code = tiddle_write_program(out, trace, history, &program, error);
    if (!code && orders_were_limited(orders))
        code = error_set(error, ERROR_INPUT,
                         "%s: more than %d equivalent traces; --equivalent N takes some of them",
                         trace->path, PROGRAM_ORDERS);
    orders_destroy(orders);
    return code;
}

static void print_equivalents(FILE *out, const struct options *options,
                              const struct history *history)
{
    struct orders *orders = orders_create(history, options->equivalent, options->seed);
    const uint32_t *order;
    for (uint64_t number = 1; (order = orders_next(orders)) && !ferror(out); number++) {
        fprintf(out, "# trace %" PRIu64 "\n", number);
        for (uint32_t i = 0; i < history->count; i++)
            tiddle_write_event(out, history->trace, &history->events[order[i]], 0);
    }
    orders_destroy(orders);
}

static int print_count(FILE *out, const struct options *options, const struct history *history,
                       struct error *error)
{
    struct sampler *sampler = sampler_create(history, options->seed);
    char *count = sampler_count(sampler);
    sampler_destroy(sampler);
    if (!count)
        return error_set(error, ERROR_INPUT, "%s: too many equivalent traces to count",
                         history->trace->path);
    fprintf(out, "%s\n", count);
    free(count);
    return 0;
}

static bool names_program(const char *path)
{
    size_t length = path ? strlen(path) : 0;
    return length > 2 && strcmp(path + length - 2, ".c") == 0;
}

static int run_program(const struct options *options, struct trace *trace,
                       const struct history *history, struct error *error)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    int code = write_program(options, trace, history, out, error);
    fclose(out);
    if (!code)
        code = tiddle_run(text, error);
    free(text);
    return code;
}

static int with_history(const struct options *options, struct trace *trace,
                        const struct history *history, struct error *error)
{
    if (options->run)
        return run_program(options, trace, history, error);
    FILE *out = command_output(options->output, error);
    int code = 0;
    if (!out)
        return -1;
    if (options->complete)
        print_completed(out, trace, history);
    else if (options->count)
        code = print_count(out, options, history, error);
    else if (options->equivalent && !names_program(options->output))
        print_equivalents(out, options, history);
    else if (options->random && !names_program(options->output))
        print_operations(out, history);
    else
        code = write_program(options, trace, history, out, error);
    return command_close(out, options->output, error) ? -1 : code;
}

static int with_trace(const struct options *options, struct error *error)
{
    struct trace *trace = trace_open(options->arguments[0], error);
    struct history *history = trace ? history_read(trace, error) : NULL;
    int code = history ? with_history(options, trace, history, error) : -1;
    history_destroy(history);
    trace_close(trace);
    return code;
}

/* The text of FILE, formatted; NULL with an error. */
static char *format_file(const char *path, struct error *error)
{
    size_t length, formatted_length;
    char *formatted = NULL, *bytes = tiddle_read_file(path, &length, error);
    if (!bytes)
        return NULL;
    FILE *out = open_memstream(&formatted, &formatted_length);
    int code = tiddle_format_text(out, path, bytes, length, error);
    fclose(out);
    free(bytes);
    if (code) {
        free(formatted);
        return NULL;
    }
    return formatted;
}

/* All is read before anything is written: the output may be the file itself. */
static int format_command(const struct options *options, struct error *error)
{
    char *formatted = format_file(options->arguments[0], error);
    if (!formatted)
        return -1;
    FILE *out = command_output(options->output, error);
    if (out)
        fputs(formatted, out);
    free(formatted);
    return out ? command_close(out, options->output, error) : -1;
}

static void list_shapes(FILE *out)
{
    fputs("Shapes:", out);
    for (size_t i = 0; shape_name(i); i++)
        fprintf(out, " %s", shape_name(i));
    fputs("\n\nSettings, each on top of the shape's own (SHAPE:setting,...):\n"
          "  all, or one of these, or one with a - before it to leave it out\n",
          out);
#define FEATURE(name, text, what) fprintf(out, "    %-12s %s\n", text, what);
    SHAPE_FEATURES(FEATURE)
#undef FEATURE
    fputs("  NUMBER=N or NUMBER=N..M, where NUMBER is events, threads, variables, locks, depth,\n"
          "    sticky, guarded, accesses or locations\n",
          out);
}

static int random_command(const struct options *options, struct error *error)
{
    struct shape shape;
    struct sample sample;
    if (options->shape && strcmp(options->shape, "help") == 0) {
        list_shapes(stdout);
        return 0;
    }
    if (command_arguments(options, 0, "no FILE with --random", error) ||
        shape_parse(&shape, options->shape ? options->shape : "basic", error))
        return -1;
    if (options->threads)
        shape.threads_min = shape.threads_max = (uint32_t)options->threads;
    if (options->events)
        shape.events_min = shape.events_max = (uint32_t)options->events;
    if (options->locks)
        shape.locks = (uint32_t)options->locks;
    if (options->variables)
        shape.variables = (uint32_t)options->variables;
    if (sample_generate(&sample, &shape, options->seed, error))
        return -1;
    int code = with_history(options, sample.trace, sample.history, error);
    sample_free(&sample);
    return code;
}

static int print_excerpt(const struct options *options, const struct excerpt *excerpt,
                         struct error *error)
{
    FILE *out = command_output(options->output, error);
    if (!out)
        return -1;
    fprintf(out, "# %s\n", excerpt->title);
    for (uint32_t pos = 0; pos < excerpt->history->count; pos++)
        tiddle_write_event(out, excerpt->trace, &excerpt->history->events[pos], pos + 2);
    return command_close(out, options->output, error);
}

static int from_command(struct options *options, struct error *error)
{
    struct excerpt excerpt;
    if (trace_argument_at(options, &options->from, error))
        return -1;
    int code = excerpt_make(&excerpt, options, error);
    bool as_trace = !names_program(options->output) && !options->run && !options->complete &&
                    !options->equivalent && !options->count;
    if (code == 0)
        code = as_trace ? print_excerpt(options, &excerpt, error)
                        : with_history(options, excerpt.trace, excerpt.history, error);
    excerpt_free(&excerpt);
    return code;
}

int cmd_tiddle(struct options *options, struct error *error)
{
    if (options->from)
        return from_command(options, error);
    if (options->random)
        return random_command(options, error);
    if (command_arguments(options, 1, "one FILE", error))
        return -1;
    if (tiddle_file_is_code(options->arguments[0]))
        return tiddle_code_command(options, error);
    return options->format ? format_command(options, error) : with_trace(options, error);
}
