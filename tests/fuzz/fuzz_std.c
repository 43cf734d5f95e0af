/* The .std reader on any bytes: an error or a trace, and what it delivers is
 * written and read back as the same trace. */
#include "trace/formats.h"
#include "trace/history.h"
#include "trace/std_writer.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *write_text(const struct history *history, size_t *length)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    for (uint32_t pos = 0; pos < history->count; pos++)
        std_write_event(out, history->trace, &history->events[pos]);
    fclose(out);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error = {0};
    struct trace *trace = std_open_memory("fuzz", (const char *)data, size);
    struct history *history = history_read(trace, &error);
    if (!history && error.code != ERROR_INPUT)
        abort();
    if (history) {
        size_t length, again_length;
        char *text = write_text(history, &length);
        struct trace *copy = std_open_memory("again", text, length);
        struct history *again = history_read(copy, &error);
        if (!again || again->count != history->count)
            abort();
        char *again_text = write_text(again, &again_length);
        if (again_length != length || memcmp(text, again_text, length) != 0)
            abort();
        free(again_text);
        history_destroy(again);
        trace_close(copy);
        free(text);
    }
    history_destroy(history);
    trace_close(trace);
    return 0;
}
