/* SPDX-License-Identifier: MIT */
/* Reads Tiddle text line by line. Every line is delivered, with its comment, so
 * that a formatter loses nothing; names are interned in a trace's tables. An
 * error is ERROR_INPUT with line, column, what was found and what was expected. */
#ifndef PREPLAY_TIDDLE_PARSER_H
#define PREPLAY_TIDDLE_PARSER_H

#include "trace/trace.h"

struct tiddle_line {
    uint32_t number; /* from 1 */
    uint32_t column; /* of the operation */
    bool has_event;
    bool has_location;   /* `@...` was written; else the location is the line's number */
    struct event event;  /* as written: not checked by wellformed.h yet */
    const char *comment; /* from its '#', without the line's end; NULL if none */
    size_t comment_length;
};

struct tiddle_parser;

/* `bytes[length]` must be '\0'; the bytes must outlive the parser. Names go to
 * `trace`, whose path the messages begin with. */
struct tiddle_parser *tiddle_parser_create(struct trace *trace, const char *bytes, size_t length);
void tiddle_parser_destroy(struct tiddle_parser *parser);

/* 1 with a line, 0 at the end, -1 with an error. */
int tiddle_parser_next(struct tiddle_parser *parser, struct tiddle_line *line, struct error *error);

#endif
