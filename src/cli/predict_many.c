/* SPDX-License-Identifier: MIT */
/* The largest trace is dealt first, so that none is begun last that takes longest. A trace comes to
 * its report as JSON, or to a word of what is wrong with it; the first rank merges them in the
 * order of the command line, so that the whole is the same whoever did what. */
#include "cli/predict_many.h"

#include "base/array.h"
#include "base/files.h"
#include "base/interruption.h"
#include "cli/command.h"
#include "cli/joined.h"
#include "cli/predict.h"
#include "cli/trace_argument.h"
#include "report/merge.h"
#include "report/text.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <xxhash.h>

/* --- the list ------------------------------------------------------------------------ */

static int add_lines(struct options *options, FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    for (ssize_t length; (length = getline(&line, &room, file)) >= 0;) {
        while (length && (line[length - 1] == '\n' || line[length - 1] == '\r'))
            line[--length] = '\0';
        if (!length)
            continue;
        options->arguments = memory_resize(options->arguments, options->argument_count + 2,
                                           sizeof *options->arguments);
        options->arguments[options->argument_count++] = memory_copy(line, (size_t)length + 1);
        options->arguments[options->argument_count] = NULL;
    }
    free(line);
    return ferror(file) ? -1 : 0;
}

/* The lines live as long as the process, like the words of the command line. */
int predict_list(struct options *options, struct error *error)
{
    if (!options->list)
        return 0;
    bool standard = strcmp(options->list, "-") == 0;
    FILE *file = standard ? stdin : fopen(options->list, "re");
    int result = file ? add_lines(options, file) : -1;
    if (result)
        error_set(error, ERROR_INPUT, "%s: cannot be read: %s", options->list, strerror(errno));
    else if (!options->argument_count)
        result = error_set(error, ERROR_USAGE, "%s: names no trace", options->list);
    if (file && !standard)
        fclose(file);
    return result;
}

/* --- one trace ----------------------------------------------------------------------- */

enum { REPORTED = 'R', FAILED = 'F' };

static int predict_one(struct options *options, const char *path, FILE *out, struct error *error)
{
    struct prediction prediction = {0};
    if (trace_argument_at(options, &path, error))
        return -1;
    int result = prediction_run(&prediction, options, path, "auto", error);
    if (result == 0)
        result = prediction_keep(&prediction, NULL, error);
    if (result == 0)
        prediction_print_json(out, &prediction);
    prediction_free(&prediction);
    trace_lock_release(&options->lock);
    return result;
}

/* A letter, and then the report or the error's code and text. */
static struct bytes piece_of(const struct options *options, const char *path)
{
    struct options own = *options;
    struct error error = {0};
    struct bytes bytes;
    char *text;
    own.deal = NULL; /* a trace is not dealt out again */
    own.quiet = true;
    FILE *out = open_memstream(&text, &bytes.size);
    putc(REPORTED, out);
    int result = predict_one(&own, path, out, &error);
    fclose(out);
    if (result) {
        free(text);
        out = open_memstream(&text, &bytes.size);
        fprintf(out, "%c%c%s", FAILED, (char)error.code, error.text);
        fclose(out);
    }
    bytes.data = text;
    return bytes;
}

/* --- all of them --------------------------------------------------------------------- */

struct sized {
    uint64_t size;
    uint32_t number; /* on the command line */
};

static uint64_t size_of(const char *trace)
{
    char path[PATH_MAX + 300];
    struct stat status;
    uint64_t size =
        stat(trace, &status) == 0 && S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
    snprintf(path, sizeof path, "%s/streams", trace);
    DIR *streams = files_list(path);
    for (struct dirent *entry; streams && (entry = readdir(streams));) {
        snprintf(path, sizeof path, "%s/streams/%s", trace, entry->d_name);
        if (stat(path, &status) == 0 && S_ISREG(status.st_mode))
            size += (uint64_t)status.st_size;
    }
    if (streams)
        closedir(streams);
    return size;
}

static int compare_sizes(const void *a, const void *b)
{
    const struct sized *x = a, *y = b;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static struct sized *largest_first(const struct options *options)
{
    struct sized *order = memory_alloc(options->argument_count, sizeof *order);
    for (uint32_t i = 0; i < options->argument_count; i++)
        order[i] = (struct sized){size_of(options->arguments[i]), i};
    qsort(order, options->argument_count, sizeof *order, compare_sizes);
    return order;
}

static int note_failure(const char *path, const char *data, size_t size)
{
    char text[1200];
    snprintf(text, sizeof text, "preplay: %s: %.*s\n", path, (int)size - 2, data + 2);
    report_safe_text(stderr, text);
    return data[1];
}

/* 0, or what is wrong with the trace, as an exit code. */
static int add(struct merge *merge, struct deal *deal, const char *path, struct bytes bytes)
{
    struct error error = {0};
    const char *data = bytes.data;
    if (bytes.size > 2 && *data == FAILED)
        return note_failure(path, data, bytes.size);
    json_t *report = bytes.size ? json_loadb(data + 1, bytes.size - 1, 0, NULL) : NULL;
    if (!report || merge_add(merge, path, report, &error))
        deal_refuse(deal);
    json_decref(report);
    return 0;
}

static int write_merged(const struct merge *merge, const struct options *options,
                        struct error *error)
{
    bool taken = options->json_file && strcmp(options->json_file, "-") == 0;
    if (!taken)
        merge_text(stdout, merge, options->all ? MERGE_ALL : MERGE_PREDICTED);
    if (!options->json_file)
        return 0;
    FILE *out = command_output(options->json_file, error);
    if (!out)
        return -1;
    json_t *whole = merge_json(merge, !options->no_times);
    json_dumpf(whole, out, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
    putc('\n', out);
    json_decref(whole);
    return command_close(out, options->json_file, error);
}

static int merge_all(struct deal *deal, const struct options *options, const struct sized *order,
                     struct error *error)
{
    uint32_t count = (uint32_t)options->argument_count;
    uint32_t *piece = memory_alloc(count, sizeof *piece); /* by number on the command line */
    struct merge *merge = merge_create();
    int worst = 0;
    for (uint32_t i = 0; i < count; i++)
        piece[order[i].number] = i;
    for (uint32_t i = 0; i < count; i++) {
        int wrong = add(merge, deal, options->arguments[i], deal_result(deal, piece[i]));
        worst = wrong > worst ? wrong : worst;
    }
    int code = write_merged(merge, options, error);
    if (code == 0)
        code = merge_count(merge, MERGE_PREDICTED) ? (int)options->exit_code
               : worst                             ? worst
               : merge_incomplete(merge)           ? EXIT_INCOMPLETE
                                                   : EXIT_OK;
    merge_destroy(merge);
    free(piece);
    return code;
}

static uint64_t print_of(const struct options *options, const struct sized *order)
{
    uint64_t print = options->argument_count;
    for (size_t i = 0; i < options->argument_count; i++) {
        const char *trace = options->arguments[order[i].number];
        print = XXH3_64bits_withSeed(trace, strlen(trace), print);
    }
    return print;
}

static int deal_all(struct options *options, struct cluster *cluster, struct error *error)
{
    struct deal *deal = cluster_deal(cluster);
    struct sized *order = largest_first(options);
    int code = EXIT_OK;
    deal_begin(deal, print_of(options, order), (uint32_t)options->argument_count);
    for (uint32_t number; !interruption_asked() && deal_take(deal, &number);)
        deal_done(deal, number, piece_of(options, options->arguments[order[number].number]), 1);
    if (interruption_asked())
        code = error_set(error, ERROR_INTERNAL, "interrupted: --resume goes on");
    else if (deal->rank == 0)
        code = merge_all(deal, options, order, error);
    deal_end(deal);
    free(order);
    return code;
}

int predict_many(struct options *options, struct cluster *cluster, struct error *error)
{
    if (prediction_check(options, "auto", error) ||
        joined_checkpoint(cluster, options, options->arguments, options->argument_count, error))
        return -1;
    return deal_all(options, cluster, error);
}
