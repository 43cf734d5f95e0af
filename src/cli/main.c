/* SPDX-License-Identifier: MIT */
#include "base/suggest.h"
#include "cli/command.h"
#include "cli/manual.h"
#include "cli/version.h"
#include "symbols/debug_files.h"
#include "report/text.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *synopsis, *summary;
    int (*function)(struct options *options, struct error *error);
    bool raw; /* the words after it are a program's or a compiler's own */
} commands[] = {
#define C(id, name, function, synopsis, summary, raw) {name, synopsis, summary, function, raw},
    COMMAND_TABLE(C)
#undef C
};

#define COMMAND_TOTAL (sizeof commands / sizeof *commands)

static void usage(FILE *out)
{
    fputs("Usage: preplay COMMAND [OPTIONS] ...\n\n"
          "Preplay replays the concurrency bug before it happens.\n\nCommands:\n",
          out);
    for (size_t i = 0; i < COMMAND_TOTAL; i++)
        fprintf(out, "  %-9s %s\n", commands[i].name, commands[i].summary);
    fputs("\npreplay COMMAND --help tells more about each.\n", out);
}

int command_arguments(const struct options *options, size_t wanted, const char *what,
                      struct error *error)
{
    if (options->argument_count == wanted)
        return 0;
    return error_set(error, ERROR_USAGE, "preplay %s takes %s, found %zu argument%s",
                     command_name(options->command), what, options->argument_count,
                     options->argument_count == 1 ? "" : "s");
}

FILE *command_output(const char *path, struct error *error)
{
    if (!path || strcmp(path, "-") == 0)
        return stdout;
    FILE *file = fopen(path, "we");
    if (!file)
        error_set(error, ERROR_INTERNAL, "%s: cannot write: %s", path, strerror(errno));
    return file;
}

int command_close(FILE *file, const char *path, struct error *error)
{
    bool failed = fflush(file) != 0 || ferror(file);
    if (file != stdout)
        failed |= fclose(file) != 0;
    if (failed)
        return error_set(error, ERROR_INTERNAL, "%s: cannot write: %s",
                         path ? path : "standard output", strerror(errno));
    return 0;
}

static int fail(const struct error *error)
{
    fputs("preplay: ", stderr);
    report_safe_text(stderr, error->text); /* it quotes what was read */
    fputc('\n', stderr);
    return error->code;
}

/* --help among the options, not behind -- or a program's name. */
static bool wants_help(char **words, bool program_follows)
{
    for (; *words && strcmp(*words, "--") != 0; words++) {
        if (strcmp(*words, "--help") == 0 || strcmp(*words, "-h") == 0)
            return true;
        if (program_follows && **words != '-')
            return false;
    }
    return false;
}

/* A compiler's words are its own, options and all. */
static int run_compiler(size_t at, char **words)
{
    struct error error = {0};
    struct options options = {.command = (enum command_id)at, .arguments = (const char **)words};
    while (words[options.argument_count])
        options.argument_count++;
    int code = commands[at].function(&options, &error);
    return code < 0 ? fail(&error) : code;
}

/* A file that outgrows the limit of its size is an error like a full disk, not the end. A handler,
 * unlike SIG_IGN, is not handed on to the programs that are started. */
static void ignore_signal(int number)
{
    (void)number;
}

static void take_limits_as_errors(void)
{
    struct sigaction old, action = {.sa_handler = ignore_signal, .sa_flags = SA_RESTART};
    if (sigaction(SIGXFSZ, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
        sigaction(SIGXFSZ, &action, NULL);
}

static int help_with(size_t at)
{
    options_help(stdout, (enum command_id)at);
    manual_list_engines(stdout, (enum command_id)at);
    if (at == COMMAND_PREDICT)
        puts("\nSeveral TRACEs make one report. Below MPI (mpirun -n 4 preplay predict TRACE...) "
             "the ranks share\nthe work, and print what one process would: docs/scale.md.");
    return EXIT_OK;
}

static int no_such_command(const char *word)
{
    struct suggestion suggestion = {0};
    for (size_t i = 0; i < COMMAND_TOTAL; i++)
        suggest(&suggestion, word, strlen(word), commands[i].name);
    fputs("preplay: no command '", stderr);
    report_safe_text(stderr, word);
    if (suggestion.nearest)
        fprintf(stderr, "'; did you mean '%s'?\n", suggestion.nearest);
    else
        fputs("' (see preplay --help)\n", stderr);
    return ERROR_USAGE;
}

/* preplay help [COMMAND] */
static int help(const char *command)
{
    if (!command) {
        usage(stdout);
        return EXIT_OK;
    }
    for (size_t i = 0; i < COMMAND_TOTAL; i++)
        if (strcmp(command, commands[i].name) == 0)
            return help_with(i);
    return no_such_command(command);
}

static int run(size_t at, char **words)
{
    struct error error = {0};
    struct options options;
    if (wants_help(words, commands[at].raw))
        return help_with(at);
    int code = -1;
    take_limits_as_errors();
    if (options_parse(&options, (enum command_id)at, commands[at].raw, words, &error) == 0) {
        debug_files_look_in(options.debug_files, options.debuginfod);
        code = commands[at].function(&options, &error);
    }
    options_free(&options);
    return code < 0 ? fail(&error) : code;
}

/* Everything after `cc` is the compiler's, but for a --help that stands alone. */
static int compile(size_t at, char **words)
{
    if (!words[0] || strcmp(words[0], "--help") != 0 || words[1])
        return run_compiler(at, words);
    help_with(at);
    puts(
        "\nAll other arguments go to the compiler: PREPLAY_CC and PREPLAY_CXX, or else gcc and "
        "g++.\n"
        "It adds -fsanitize=thread and links Preplay's runtime in the place of ThreadSanitizer's.\n"
        "preplay-cc and preplay-c++ are the same in one word, for CMake, Meson\n"
        "and configure:\n\n"
        "  preplay cc -g -O1 -pthread prog.c -o prog\n"
        "  cmake -DCMAKE_C_COMPILER=preplay-cc -DCMAKE_CXX_COMPILER=preplay-c++ ..\n"
        "  CC=preplay-cc ./configure");
    return EXIT_OK;
}

static int dispatch(int argc, char **argv)
{
    /* preplay-cc is preplay cc as a single word, for CMake and configure. */
    const char *slash = strrchr(argc ? argv[0] : "", '/');
    const char *own = slash ? slash + 1 : argc ? argv[0] : "";
    if (strcmp(own, "preplay-cc") == 0)
        return run_compiler(COMMAND_CC, argv + 1);
    if (strcmp(own, "preplay-c++") == 0)
        return run_compiler(COMMAND_CXX, argv + 1);
    if (argc < 2) {
        usage(stderr);
        return ERROR_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0)
        return help(argv[1][0] == '-' ? NULL : argv[2]);
    if (strcmp(argv[1], "--version") == 0) {
        printf("preplay %s\n", version_text());
        return EXIT_OK;
    }
    for (size_t i = 0; i < COMMAND_TOTAL; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return i == COMMAND_CC || i == COMMAND_CXX ? compile(i, argv + 2) : run(i, argv + 2);
    return no_such_command(argv[1]);
}

/* What could not be printed (a full disk) is no success. Nobody minds a closed standard output
 * that nothing was written to. */
int main(int argc, char **argv)
{
    int code = dispatch(argc, argv);
    if ((fflush(stdout) == 0 && !ferror(stdout)) || code == ERROR_INTERNAL)
        return code;
    fprintf(stderr, "preplay: standard output: cannot write: %s\n", strerror(errno));
    return ERROR_INTERNAL;
}
