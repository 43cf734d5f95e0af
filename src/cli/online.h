/* SPDX-License-Identifier: MIT */
/* record --online: the engines follow the trace while the program still runs.
 *
 * A thread of the tool, of the lowest priority, makes a cut of the trace every now and
 * then (trace/recorded/binary_follow.h) and runs the engines over it; what they find that was
 * not found before is said at once. Each cut is read from its beginning: which memory
 * is shared is only known of a whole trace. So cuts are made when the trace has grown
 * by a part of itself, which keeps the sum of all readings in proportion to the last,
 * or when the last one has cost little against the time since.
 *
 * When the program has ended, the engines run over the whole trace: the result is that
 * of `predict`. */
#ifndef PREPLAY_CLI_ONLINE_H
#define PREPLAY_CLI_ONLINE_H

#include "cli/options.h"
#include "target/recording.h"

/* The engines without --engine. */
#define ONLINE_ENGINES "tlh,happened"

struct online;

struct online *online_create(const struct options *options, const char *directory);
/* Begins to follow; for struct recording's `started`. */
void online_start(void *online);
/* Ends that, if it was begun, and analyses all that was recorded: the number of findings,
 * or -1. */
long online_finish(struct online *online, const struct recording *recording, struct error *error);
void online_destroy(struct online *online);

#endif
