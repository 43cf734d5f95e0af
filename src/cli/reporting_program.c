/* SPDX-License-Identifier: MIT */
#include "cli/reporting_program.h"

#include "report/shell_words.h"
#include "target/manifest.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static void write_command(char *text, size_t size, const json_t *command)
{
    FILE *out = fmemopen(text, size, "w");
    if (!out)
        return;
    for (size_t i = 0; i < json_array_size(command); i++) {
        const char *word = json_string_value(json_array_get(command, i));
        if (i)
            putc(' ', out);
        shell_word(out, word ? word : "");
    }
    putc('\0', out);
    fclose(out);
    text[size - 1] = '\0';
}

/* The manifest is written when the program has ended. From it and not from the clock: the same
 * recording gives the same report. */
static void write_date(char *text, size_t size, const char *directory)
{
    char path[PATH_MAX];
    struct stat status;
    struct tm parts;
    snprintf(path, sizeof path, "%s/%s", directory, MANIFEST_FILE);
    if (stat(path, &status) == 0 && gmtime_r(&status.st_mtime, &parts))
        strftime(text, size, "%Y-%m-%d %H:%M UTC", &parts);
}

static const char *text_of(const json_t *manifest, const char *key)
{
    const char *text = json_string_value(json_object_get(manifest, key));
    return text ? text : "?";
}

bool reporting_program(struct report_program *program, const char *directory)
{
    struct error ignored = {0};
    char process[MANIFEST_PROCESS];
    json_t *manifest = manifest_read(directory, process, &ignored);
    *program = (struct report_program){.date = "?"};
    if (!manifest)
        return false;
    write_command(program->command, sizeof program->command, json_object_get(manifest, "command"));
    write_date(program->date, sizeof program->date, directory);
    snprintf(program->host, sizeof program->host, "%s %s %s, %d processors",
             text_of(manifest, "system"), text_of(manifest, "release"),
             text_of(manifest, "machine"),
             (int)json_integer_value(json_object_get(manifest, "processors")));
    json_decref(manifest);
    return true;
}
