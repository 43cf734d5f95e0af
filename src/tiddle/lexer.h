/* SPDX-License-Identifier: MIT */
/* Cuts Tiddle text into tokens. The first word of a line is an operation, so
 * variables and locks may be called anything, `rd` too. Names are bare words or
 * "quoted" ones with \" \\ \t and \xHH; `#` begins a comment, `@` a location. */
#ifndef PREPLAY_TIDDLE_LEXER_H
#define PREPLAY_TIDDLE_LEXER_H

#include "trace/event.h"

#include <stddef.h>

/* Kinds are the grammar's TOKEN_ numbers, and these two. */
#define LEXER_END 0
#define LEXER_BAD (-1) /* lexer.reason says why */

struct tiddle_token {
    int kind;
    uint32_t column; /* bytes, from 1 */
    const char *text;
    size_t length; /* of a quoted name: without quotes, with its escapes */
    bool quoted;
    struct event operation; /* op, flags and order, of operation tokens */
};

struct tiddle_lexer {
    const char *cursor, *limit; /* *limit is '\0' */
    const char *line_start;
    uint32_t line; /* of the token just read */
    bool in_line;  /* the line's operation was read */
    bool newline_due;
    const char *comment; /* of this line, from its '#', or NULL */
    size_t comment_length;
    const char *reason;
};

/* `bytes` must be followed by a '\0' at bytes[length], and outlive the lexer. */
void tiddle_lexer_start(struct tiddle_lexer *lexer, const char *bytes, size_t length);
struct tiddle_token tiddle_lexer_next(struct tiddle_lexer *lexer);

#endif
