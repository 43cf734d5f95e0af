/* Any bytes as Tiddle: an error or a trace, and if a trace, one that printing
 * and reading again does not change. Formatting twice changes nothing. A program is
 * printed, too, and becomes C. */
#include "tiddle/code_printer.h"
#include "tiddle/code_writer.h"
#include "tiddle/reader.h"
#include "tiddle/writer.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *print(const char *bytes, size_t length, size_t *printed)
{
    struct error error = {0};
    struct trace *trace = tiddle_open_memory("fuzz", bytes, length);
    const struct event *batch;
    char *text = NULL;
    uint32_t line = 1;
    long count;
    FILE *out = open_memstream(&text, printed);
    while ((count = trace_next(trace, &batch, &error)) > 0)
        for (long i = 0; i < count; i++)
            tiddle_write_event(out, trace, &batch[i], line++);
    fclose(out);
    trace_close(trace);
    if (count < 0) {
        free(text);
        return NULL;
    }
    return text;
}

static char *format(const char *bytes, size_t length, size_t *formatted)
{
    struct error error = {0};
    char *text = NULL;
    FILE *out = open_memstream(&text, formatted);
    int code = tiddle_format_text(out, "fuzz", bytes, length, &error);
    fclose(out);
    if (code) {
        free(text);
        return NULL;
    }
    return text;
}

static char *print_code(const char *bytes, size_t length, size_t *printed)
{
    struct error error = {0};
    struct code *code = code_parse("fuzz", bytes, length, &error);
    char *text = NULL, *program = NULL;
    size_t program_length;
    if (!code)
        return NULL;
    FILE *out = open_memstream(&program, &program_length);
    code_write_program(out, code, "fuzz", true);
    fclose(out);
    free(program);
    out = open_memstream(&text, printed);
    code_print(out, code);
    fclose(out);
    code_free(code);
    return text;
}

static void same(char *(*step)(const char *, size_t, size_t *), const char *bytes, size_t length)
{
    size_t once_length, twice_length;
    char *once = step(bytes, length, &once_length);
    if (!once)
        return;
    char *twice = step(once, once_length, &twice_length);
    if (!twice || once_length != twice_length || memcmp(once, twice, once_length) != 0)
        abort();
    free(once);
    free(twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = malloc(size + 1);
    if (size)
        memcpy(bytes, data, size);
    bytes[size] = '\0';
    if (code_is_program(bytes)) {
        same(print_code, bytes, size);
    } else {
        same(print, bytes, size);
        same(format, bytes, size);
    }
    free(bytes);
    return 0;
}
