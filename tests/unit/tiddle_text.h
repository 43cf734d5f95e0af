/* Reading the language from a string; behind cmocka.h. */
#ifndef PREPLAY_TESTS_TIDDLE_TEXT_H
#define PREPLAY_TESTS_TIDDLE_TEXT_H

#include "tiddle/reader.h"
#include "trace/history.h"

#include <string.h>

static inline struct history *read_text(const char *text, struct trace **trace)
{
    struct error error = {0};
    *trace = tiddle_open_memory("t.tiddle", text, strlen(text));
    struct history *history = history_read(*trace, &error);
    if (!history)
        fail_msg("%s", error.text);
    return history;
}

#endif
