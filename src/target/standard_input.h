/* SPDX-License-Identifier: MIT */
/* The target's standard input: kept while it is recorded, given again in replays. */
#ifndef PREPLAY_TARGET_STANDARD_INPUT_H
#define PREPLAY_TARGET_STANDARD_INPUT_H

#include <stddef.h>
#include <sys/types.h>

struct standard_input {
    int end;      /* what the target reads from; -1: our own standard input */
    pid_t copier; /* copies a pipe to the target and to the file; 0: none */
};

#define STANDARD_INPUT_LIMIT ((size_t)64 << 20)

/* Keeps a copy in `directory`/stdin, if standard input is a file or a pipe; what
 * exceeds STANDARD_INPUT_LIMIT is passed on but not kept. */
void standard_input_keep(struct standard_input *input, const char *directory);
/* Takes it from a file. */
void standard_input_from(struct standard_input *input, const char *path);
/* In the child, before exec. */
void standard_input_use(const struct standard_input *input);
/* In the parent, once the child has been started, and when it has ended. */
void standard_input_started(struct standard_input *input);
void standard_input_ended(struct standard_input *input);

#endif
