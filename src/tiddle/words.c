/* SPDX-License-Identifier: MIT */
#include "tiddle/words.h"

#include "base/suggest.h"
#include "trace/std_ops.h"

#include <string.h>

#define WORD_LIMIT 24 /* longer than "tryatomiclook.relaxed!" */

static const struct {
    const char *tiddle;
    enum event_op op;
} own_words[] = {
    {"rd", EVENT_READ},
    {"wr", EVENT_WRITE},
    {"beg", EVENT_BLOCK_BEGIN},
};
#define OWN_WORDS (sizeof own_words / sizeof own_words[0])

bool tiddle_word_parse(const char *word, size_t length, struct event *event)
{
    for (size_t i = 0; i < OWN_WORDS; i++) {
        if (strlen(own_words[i].tiddle) != length || memcmp(word, own_words[i].tiddle, length) != 0)
            continue;
        event->op = (uint8_t)own_words[i].op;
        event->flags = 0;
        event->order = ORDER_SEQ_CST;
        return true;
    }
    return std_op_parse(word, length, event);
}

const char *tiddle_word(enum event_op op)
{
    for (size_t i = 0; i < OWN_WORDS; i++)
        if (own_words[i].op == op)
            return own_words[i].tiddle;
    return event_op_text(op);
}

void tiddle_word_write(FILE *out, const struct event *event)
{
    if (event->flags & EVENT_TRY)
        fputs("try", out);
    fputs(tiddle_word(event->op), out);
    if (op_in(event->op, OPS_ATOMIC) || event->op == EVENT_FENCE)
        fputs(std_order_text(event->order), out);
    if (event->flags & EVENT_FAILED)
        putc('!', out);
}

const char *tiddle_word_suggest(const char *word, size_t length)
{
    struct suggestion suggestion = {0};
    for (unsigned op = 0; op < EVENT_COUNT; op++)
        suggest(&suggestion, word, length, tiddle_word(op));
    return suggestion.nearest;
}
