/* SPDX-License-Identifier: MIT */
/* The words of Tiddle's operations. They are Sadowski's (Fig. 24.1):
 * rd wr acq rel fork join beg end; every other operation has the word it has in
 * .std files (trace/std_ops.h), with the same `try` before it, `.order` after an
 * atomic one and `!` for one that failed. */
#ifndef PREPLAY_TIDDLE_WORDS_H
#define PREPLAY_TIDDLE_WORDS_H

#include "trace/event.h"

#include <stddef.h>
#include <stdio.h>

/* Sets op, flags and order of `event`; false if there is no such word. */
bool tiddle_word_parse(const char *word, size_t length, struct event *event);
/* The word of an operation, without modifiers. */
const char *tiddle_word(enum event_op op);
/* The word of an event, with its modifiers. */
void tiddle_word_write(FILE *out, const struct event *event);
/* The word nearest to a misspelt one, NULL if none is near. */
const char *tiddle_word_suggest(const char *word, size_t length);

#endif
