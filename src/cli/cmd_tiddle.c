/* preplay tiddle: traces become C programs, are formatted and completed. */
#include "cli/command.h"
#include "cli/tiddle_run.h"
#include "tiddle/complete.h"
#include "tiddle/program.h"
#include "tiddle/reader.h"
#include "tiddle/writer.h"

#include <stdlib.h>
#include <string.h>

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
    struct program_options program = {.name = file_name(trace->path)};
    if (parse_order(options->order, &program.order, error))
        return -1;
    return tiddle_write_program(out, trace, history, &program, error);
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

int cmd_tiddle(struct options *options, struct error *error)
{
    if (command_arguments(options, 1, "one FILE", error))
        return -1;
    return options->format ? format_command(options, error) : with_trace(options, error);
}
