/* SPDX-License-Identifier: MIT */
#include "cli/run_ranks.h"

#include "base/files.h"
#include "cli/command.h"
#include "cluster/cluster.h"
#include "report/findings_file.h"
#include "report/merge.h"
#include "target/processes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* Beside the rank's recording: the job's name, and the exit code. */
#define WORD_FILE "rank"

/* What the ranks of a job have in common, and other jobs have not. */
static const char *job_name(void)
{
    static const char *const names[] = {"PMIX_NAMESPACE", "PMI_JOBID", "SLURM_JOB_ID",
                                        "OMPI_MCA_ess_base_jobid", NULL};
    for (const char *const *name = names; *name; name++)
        if (getenv(*name) && *getenv(*name) && !strchr(getenv(*name), '/'))
            return getenv(*name);
    return NULL;
}

static int choose_directory(struct run_ranks *self, struct error *error)
{
    struct options *options = self->options;
    const char *program = options->argument_count ? options->arguments[0] : "program";
    const char *slash = strrchr(program, '/');
    if (options->directory) {
        snprintf(self->directory, sizeof self->directory, "%s", options->directory);
    } else {
        if (!job_name())
            return error_set(
                error, ERROR_USAGE,
                "the launcher does not name its job: -d DIR says where all ranks record");
        if (files_make_directory("preplay.data"))
            return error_set(error, ERROR_USAGE, "preplay.data: cannot be made: %s",
                             strerror(errno));
        snprintf(self->directory, sizeof self->directory, "preplay.data/%.200s-mpi-%.200s",
                 slash ? slash + 1 : program, job_name());
    }
    if (files_make_directory(self->directory))
        return error_set(error, ERROR_USAGE, "%s: cannot be made: %s", self->directory,
                         strerror(errno));
    snprintf(self->own, sizeof self->own, "%s/rank-%u", self->directory, cluster_launched_rank());
    options->directory = self->own;
    return 0;
}

static int check_formats(const struct options *options, struct error *error)
{
    const char *option = options->sarif_file          ? "sarif"
                         : options->html_file         ? "html"
                         : options->code_quality_file ? "code-quality"
                         : options->baseline          ? "baseline"
                         : options->suppressions      ? "suppressions"
                                                      : NULL;
    if (!option)
        return 0;
    return error_set(error, ERROR_USAGE,
                     "the report of several ranks knows no --%s: text, --json and --junit; preplay "
                     "report tells of each rank's recording by itself",
                     option);
}

int run_ranks_begin(struct run_ranks *self, struct options *options, struct error *error)
{
    *self = (struct run_ranks){.many = cluster_is_launched(), .options = options};
    if (!self->many)
        return 0;
    if (check_formats(options, error) || choose_directory(self, error))
        return -1;
    self->json_file = options->json_file;
    self->junit_file = options->junit_file;
    self->quiet = options->quiet;
    options->json_file = options->junit_file = NULL;
    options->quiet = true;
    options->max_replays = 0; /* the other ranks would not be there */
    return 0;
}

/* --- words to the first rank ----------------------------------------------------------- */

static int leave_word(const struct run_ranks *self, int code, struct error *error)
{
    char path[PATH_MAX + 64];
    struct new_file file;
    snprintf(path, sizeof path, "%s/" WORD_FILE, self->own);
    if (files_begin(&file, path, error))
        return -1;
    fprintf(file.stream, "%s %d\n", job_name() ? job_name() : "-", code);
    return files_commit(&file, error);
}

/* -1 as long as there is none of this job. */
static int read_word(const struct run_ranks *self, uint32_t rank)
{
    char path[PATH_MAX + 64], job[512];
    int code = -1;
    snprintf(path, sizeof path, "%s/rank-%u/" WORD_FILE, self->directory, rank);
    char *text = files_load(path, 1024, NULL);
    if (!text || sscanf(text, "%511s %d", job, &code) != 2 ||
        strcmp(job, job_name() ? job_name() : "-") != 0)
        code = -1;
    free(text);
    return code;
}

/* Should one of them die, mpirun ends us all. The greatest exit code of theirs. */
static int wait_for_all(const struct run_ranks *self)
{
    int worst = 0;
    for (uint32_t rank = 1; rank < cluster_launched_ranks(); rank++) {
        int code;
        while ((code = read_word(self, rank)) < 0)
            nanosleep(&(struct timespec){0, 50000000}, NULL);
        worst = code > worst ? code : worst;
    }
    return worst;
}

/* --- one report ------------------------------------------------------------------------ */

struct merging {
    struct merge *merge;
    struct error *error;
    int result;
};

static void add(void *context, const char *directory)
{
    struct merging *merging = context;
    char path[PATH_MAX + 64];
    struct stat status;
    snprintf(path, sizeof path, "%s/findings.json", directory);
    if (merging->result || stat(path, &status))
        return;
    json_t *report = findings_file_load(path, merging->error);
    merging->result = report ? merge_add(merging->merge, directory, report, merging->error) : -1;
    json_decref(report);
}

static int write_merged(const struct run_ranks *self, const struct merge *merge,
                        struct error *error)
{
    if (!self->quiet) {
        merge_text(stderr, merge, self->options->all ? MERGE_ALL : MERGE_PREDICTED);
        fprintf(
            stderr,
            "preplay: the ranks are recorded in %s/rank-*; predictions were not replayed, for a "
            "rank cannot run without the others\n",
            self->directory);
    }
    if (self->json_file) {
        FILE *out = command_output(self->json_file, error);
        json_t *whole = out ? merge_json(merge, true) : NULL;
        if (!out)
            return -1;
        json_dumpf(whole, out, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
        putc('\n', out);
        json_decref(whole);
        if (command_close(out, self->json_file, error))
            return -1;
    }
    if (self->junit_file) {
        FILE *out = command_output(self->junit_file, error);
        if (!out)
            return -1;
        merge_junit(out, merge);
        return command_close(out, self->junit_file, error);
    }
    return 0;
}

static int report_all(const struct run_ranks *self, int code, struct error *error)
{
    struct merging merging = {.merge = merge_create(), .error = error};
    char directory[PATH_MAX + 64];
    for (uint32_t rank = 0; rank < cluster_launched_ranks(); rank++) {
        snprintf(directory, sizeof directory, "%s/rank-%u", self->directory, rank);
        processes_each(directory, add, &merging);
    }
    if (merging.result == 0)
        merging.result = write_merged(self, merging.merge, error);
    if (merging.result == 0)
        merging.result = merge_count(merging.merge, MERGE_REAL) ? (int)self->options->exit_code
                         : merge_incomplete(merging.merge)      ? EXIT_INCOMPLETE
                                                                : code;
    merge_destroy(merging.merge);
    return merging.result;
}

/* Whoever returns something else than 0 has the launcher end all others. */
int run_ranks_end(struct run_ranks *self, int code, struct error *error)
{
    if (!self->many || code < 0)
        return code;
    if (cluster_launched_rank())
        return leave_word(self, code, error) ? -1 : 0;
    int worst = wait_for_all(self);
    return report_all(self, worst > code ? worst : code, error);
}
