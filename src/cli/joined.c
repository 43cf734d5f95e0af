/* SPDX-License-Identifier: MIT */
#include "cli/joined.h"

#include "base/files.h"
#include "target/library.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/* Beside the runtime where it is installed, and in a build tree beside its source. */
static int module_directory(char path[LIBRARY_PATH + 32], struct error *error)
{
    char directory[LIBRARY_PATH];
    if (library_directory(directory, error))
        return -1;
    snprintf(path, LIBRARY_PATH + 32, "%s/libpreplay_mpi.so", directory);
    bool here = access(path, R_OK) == 0;
    snprintf(path, LIBRARY_PATH + 32, "%s%s", directory, here ? "" : "/../cluster");
    return 0;
}

int joined_begin(struct cluster **cluster, struct options *options, struct error *error)
{
    char directory[LIBRARY_PATH + 32];
    *cluster = NULL;
    if (cluster_is_launched()) {
        if (module_directory(directory, error))
            return -1;
        *cluster = cluster_join(directory, error);
        if (!*cluster)
            return -1;
    } else if (options->resume) {
        joined_alone(cluster, options);
    }
    options->deal = cluster_deal(*cluster);
    options->quiet |= !joined_first(options);
    return 0;
}

void joined_alone(struct cluster **cluster, struct options *options)
{
    *cluster = cluster_alone();
    options->deal = cluster_deal(*cluster);
}

bool joined_first(const struct options *options)
{
    return !options->deal || options->deal->rank == 0;
}

/* --- what a checkpoint belongs to --------------------------------------------------- */

static uint64_t print_of_file(const char *directory, const char *name)
{
    char path[PATH_MAX + 300];
    size_t length = 0;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    char *text = files_load(path, 1 << 24, &length);
    uint64_t print = text ? XXH3_64bits(text, length) : 0;
    free(text);
    return print;
}

/* Names and sizes of the streams, in any order; of a text trace its size. */
static uint64_t print_of_trace(const char *trace)
{
    char path[PATH_MAX + 300];
    struct stat status;
    uint64_t print = print_of_file(trace, "manifest.json") + 3 * print_of_file(trace, "modules");
    if (stat(trace, &status) == 0 && S_ISREG(status.st_mode))
        print += (uint64_t)status.st_size;
    snprintf(path, sizeof path, "%s/streams", trace);
    DIR *streams = files_list(path);
    for (struct dirent *entry; streams && (entry = readdir(streams));) {
        snprintf(path, sizeof path, "%s/streams/%s", trace, entry->d_name);
        if (stat(path, &status) == 0 && S_ISREG(status.st_mode))
            print += XXH3_64bits_withSeed(entry->d_name, strlen(entry->d_name),
                                          (uint64_t)status.st_size);
    }
    if (streams)
        closedir(streams);
    return print;
}

static const char *text_or_none(const char *text)
{
    return text ? text : "";
}

/* Options that change what is found. */
static void describe(FILE *out, const struct options *options)
{
    fprintf(out, "%s %s %s %llu %d %d %llu %s %s %s %g\n", command_name(options->command),
            text_or_none(options->engines), text_or_none(options->model),
            (unsigned long long)options->window, options->pairs, options->per_pair,
            (unsigned long long)options->steps, text_or_none(options->atomic),
            text_or_none(options->debug_files), options->debuginfod ? "servers" : "",
            options->pair_timeout);
}

int joined_checkpoint(struct cluster *cluster, const struct options *options,
                      const char *const *traces, size_t count, struct error *error)
{
    const char *directory = NULL;
    struct stat status;
    char *work;
    size_t length;
    if (!cluster || options->deal->rank)
        return 0;
    FILE *out = open_memstream(&work, &length);
    describe(out, options);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s %llx\n", traces[i], (unsigned long long)print_of_trace(traces[i]));
        if (!directory && stat(traces[i], &status) == 0 && S_ISDIR(status.st_mode))
            directory = traces[i];
    }
    fclose(out);
    int result = 0;
    if (directory)
        result = cluster_checkpoint(cluster, directory, work, options->resume, error);
    else if (options->resume)
        result = error_set(error, ERROR_USAGE, "--resume: a text trace keeps no checkpoint");
    free(work);
    return result;
}

int joined_end(struct cluster *cluster, const struct options *options, int code,
               struct error *error)
{
    bool first = joined_first(options);
    if (!cluster)
        return code;
    if (code >= 0)
        cluster_checkpoint_remove(cluster);
    cluster_end(cluster, code < 0 ? error : NULL,
                options->deal->ranks > 1 && getenv("PREPLAY_MPI_TELL") ? stderr : NULL);
    return first ? code : 0;
}
