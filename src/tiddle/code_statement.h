/* SPDX-License-Identifier: MIT */
/* What the grammar's actions fill in for one line of a program; a token that is absent has no text.
 * Private to the parser of programs. */
#ifndef PREPLAY_TIDDLE_CODE_STATEMENT_H
#define PREPLAY_TIDDLE_CODE_STATEMENT_H

#include "tiddle/code.h"

#include <stddef.h>

/* Kinds are the grammar's CODE_TOKEN_ numbers, and these two. */
#define CODE_LEXER_END 0
#define CODE_LEXER_BAD (-1)

struct code_token {
    int kind;
    uint32_t column; /* bytes, from 1 */
    uint8_t op;      /* enum code_op of a line's first word, enum code_comparison of a sign */
    const char *text;
    size_t length;
};

struct code_text_term {
    struct code_token token;
    bool negative;
};

struct code_text_value {
    struct code_text_term first, second;
    char sign;
};

struct code_statement {
    struct code_token word, thread, object, other, local;
    struct code_text_value value, wanted;
    uint8_t comparison;
    bool failed;
};

struct code_lexer {
    const char *cursor, *limit; /* *limit is '\0' */
    const char *line_start;
    uint32_t line; /* of the token just read */
    bool in_line;  /* the line's first word was read */
    bool newline_due;
    const char *comment; /* of this line, from its '#', or NULL */
    size_t comment_length;
};

/* `bytes` must be followed by a '\0' at bytes[length], and outlive the lexer. */
void code_lexer_start(struct code_lexer *lexer, const char *bytes, size_t length);
struct code_token code_lexer_next(struct code_lexer *lexer);

#endif
