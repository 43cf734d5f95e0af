/* SPDX-License-Identifier: MIT */
/* What a program usually prints: the lines that two replays of the recorded order have in common.
 * Lines are compared as a set with repetitions, since threads that run freely print in any order;
 * what varies between the two replays is ignored in others. */
#ifndef PREPLAY_REPLAY_USUAL_OUTPUT_H
#define PREPLAY_REPLAY_USUAL_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

struct usual_output;

/* Of the files of the two replays. NULL if they cannot be read, or are larger than anybody
 * would compare. */
struct usual_output *usual_output_create(const char *first, const char *second);
void usual_output_destroy(struct usual_output *usual);

/* True if the file lacks a line of the usual ones, or, where the two replays printed the same, has
 * more; `text` then says in one line what differs. */
bool usual_output_differs(const struct usual_output *usual, const char *file, char *text,
                          size_t room);

#endif
