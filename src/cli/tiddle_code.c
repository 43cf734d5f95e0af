/* SPDX-License-Identifier: MIT */
#include "cli/tiddle_code.h"

#include "cli/tiddle_run.h"
#include "tiddle/code_printer.h"
#include "tiddle/code_writer.h"
#include "tiddle/reader.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool tiddle_file_is_code(const char *path)
{
    struct stat status;
    size_t length;
    if (strcmp(path, "-") == 0 || stat(path, &status) || !S_ISREG(status.st_mode))
        return false;
    char *bytes = tiddle_read_file(path, &length, NULL);
    bool is_code = bytes && code_is_program(bytes);
    free(bytes);
    return is_code;
}

static char *with(const struct code *code, const struct options *options)
{
    const char *slash = strrchr(code->path, '/');
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (options->format)
        code_print(out, code);
    else
        code_write_program(out, code, slash ? slash + 1 : code->path, options->lines);
    fclose(out);
    return text;
}

static int write_text(const char *text, const char *path, struct error *error)
{
    FILE *out = command_output(path, error);
    if (!out)
        return -1;
    fputs(text, out);
    return command_close(out, path, error);
}

/* All is read before anything is written: the output may be the file itself. */
int tiddle_code_command(const struct options *options, struct error *error)
{
    const char *path = options->arguments[0];
    size_t length;
    if (options->complete || options->count || options->equivalent || options->order)
        return error_set(error, ERROR_USAGE,
                         "%s is a program, not a trace: it takes --format, --run, --lines and -o",
                         path);
    char *bytes = tiddle_read_file(path, &length, error);
    struct code *code = bytes ? code_parse(path, bytes, length, error) : NULL;
    int result = -1;
    if (code) {
        char *text = with(code, options);
        result = options->run && !options->format ? tiddle_run(text, error)
                                                  : write_text(text, options->output, error);
        free(text);
    }
    code_free(code);
    free(bytes);
    return result;
}
