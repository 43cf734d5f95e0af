/* SPDX-License-Identifier: MIT */
#include "cli/tiddle_run.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATH_SIZE 4096

/* Runs words[0] and waits for it; its exit code, or -1. */
static int run_words(const char *const *words, struct error *error)
{
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        return error_set(error, ERROR_INTERNAL, "cannot start %s: %s", words[0], strerror(errno));
    if (child == 0) {
        execvp(words[0], (char *const *)words);
        fprintf(stderr, "preplay: cannot start %s: %s\n", words[0], strerror(errno));
        _exit(127);
    }
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return error_set(error, ERROR_INTERNAL, "lost %s: %s", words[0], strerror(errno));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int write_source(const char *path, const char *text, struct error *error)
{
    FILE *file = fopen(path, "we");
    bool failed = !file || fputs(text, file) < 0;
    if (file && fclose(file))
        failed = true;
    if (failed)
        return error_set(error, ERROR_INTERNAL, "%s: cannot write: %s", path, strerror(errno));
    return 0;
}

static int compile_and_run(const char *source, const char *program, const char *text,
                           struct error *error)
{
    const char *compiler = getenv("CC");
    if (!compiler || !*compiler)
        compiler = "cc";
    if (write_source(source, text, error))
        return -1;
    const char *const compile[] = {compiler, "-g",    "-pthread", "-DPRINT",
                                   "-o",     program, source,     NULL};
    int code = run_words(compile, error);
    if (code > 0)
        return error_set(error, ERROR_INTERNAL, "%s could not compile the program", compiler);
    const char *const run[] = {program, NULL};
    return code < 0 ? -1 : run_words(run, error);
}

int tiddle_run(const char *text, struct error *error)
{
    const char *parent = getenv("TMPDIR");
    char directory[PATH_SIZE], source[PATH_SIZE + 16], program[PATH_SIZE + 16];
    snprintf(directory, sizeof directory, "%s/tiddle-XXXXXX", parent && *parent ? parent : "/tmp");
    if (!mkdtemp(directory))
        return error_set(error, ERROR_INTERNAL, "%s: cannot make a directory: %s", directory,
                         strerror(errno));
    snprintf(source, sizeof source, "%s/tiddle.c", directory);
    snprintf(program, sizeof program, "%s/tiddle", directory);
    int code = compile_and_run(source, program, text, error);
    unlink(source);
    unlink(program);
    rmdir(directory);
    return code;
}
