/* SPDX-License-Identifier: MIT */
#include "target/valgrind.h"

#include "base/array.h"
#include "base/files.h"
#include "symbols/atomic_variables.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int valgrind_directory(char path[LIBRARY_PATH], const char *library, struct error *error)
{
    static const char *const places[] = {"valgrind", "../../valgrind"}; /* installed, built */
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char tool[LIBRARY_PATH + 32];
        snprintf(path, LIBRARY_PATH, "%.3900s/%s", library, places[i]);
        snprintf(tool, sizeof tool, "%s/preplay-amd64-linux", path);
        if (access(tool, X_OK) == 0)
            return 0;
    }
    return error_set(error, ERROR_USAGE,
                     "--valgrind: the tool is not there; install valgrind and build preplay again");
}

int valgrind_check_program(const char *name, struct error *error)
{
    struct program_kind kind;
    if (!program_inspect(name, &kind))
        return error_set(error, ERROR_USAGE, "%s: cannot be run: not found", name);
    if (kind.is_elf && !kind.is_dynamic)
        return error_set(error, ERROR_USAGE,
                         "%s is linked statically: its synchronisation cannot be seen, link it "
                         "dynamically",
                         name);
    return 0;
}

void valgrind_prepare(const char *trace, const char *name)
{
    char program[LIBRARY_PATH], list[LIBRARY_PATH + 32];
    snprintf(list, sizeof list, "%s/atomics", trace);
    if (program_path(name, program))
        atomic_variables_write(program, list);
}

void valgrind_become(const char *library, const char *trace, const char *program,
                     const char *const *command, bool replay)
{
    char directory[LIBRARY_PATH], log[LIBRARY_PATH + 64];
    struct words ARRAY_OF(const char *) words = {0};
    if (valgrind_directory(directory, library, NULL))
        return;
    setenv("VALGRIND_LIB", directory, 1);
    unsetenv("VALGRIND_OPTS");
    snprintf(log, sizeof log, "%s/atomics", trace);
    setenv("PREPLAY_ATOMICS", log, 1);
    snprintf(log, sizeof log, "--log-file=%.4000s/valgrind-%%p.log", trace);
    array_push(&words, "valgrind");
    array_push(&words, "--command-line-only=yes"); /* nobody's .valgrindrc */
    array_push(&words, "--tool=preplay");
    array_push(&words, "-q");
    array_push(&words, log);
    array_push(&words, "--vgdb=no");
    array_push(&words, "--trace-children=yes");
    array_push(&words, "--fair-sched=try");
    if (replay) /* an instruction may be begun again: registers as they were before it */
        array_push(&words, "--vex-iropt-register-updates=allregs-at-mem-access");
    array_push(&words, "--");
    array_push(&words, program);
    while (*++command)
        array_push(&words, *command);
    array_push(&words, NULL);
    execvp(words.items[0], (char *const *)words.items);
    array_free(&words);
}

/* Its last word is "the 'impossible' happened:", and on the next line what did. */
static void explain_end(FILE *log, const char *name)
{
    char line[512];
    bool ended = false;
    while (!ended && fgets(line, sizeof line, log))
        ended = strstr(line, "the 'impossible' happened") != NULL;
    if (ended && fgets(line, sizeof line, log))
        fprintf(stderr, "preplay: Valgrind gave up: %s (%s)\n",
                strtok(line + strspn(line, " "), "\n"), name);
}

void valgrind_ended(const char *trace)
{
    char path[LIBRARY_PATH + 300];
    DIR *all = files_list(trace);
    for (struct dirent *entry; all && (entry = readdir(all));) {
        if (strncmp(entry->d_name, "valgrind-", 9) != 0)
            continue;
        snprintf(path, sizeof path, "%.4000s/%s", trace, entry->d_name);
        FILE *log = files_read(path);
        int first = log ? getc(log) : EOF;
        if (first == EOF)
            unlink(path);
        else
            explain_end(log, path);
        if (log)
            fclose(log);
    }
    if (all)
        closedir(all);
}
