/* SPDX-License-Identifier: MIT */
/* What the program is told from outside and cannot know beforehand (random bytes, the time): a
 * recording keeps it, in the order in which each thread asked, and a replay gives it back to the
 * thread of the same name.
 *
 * `inputs` of the recording: a struct input_head each, and so many bytes, rounded up to eight. A
 * thread that asks for something else than it was recorded to, or for more, is told what is true
 * now. */
#ifndef PREPLAY_RUNTIME_INPUTS_H
#define PREPLAY_RUNTIME_INPUTS_H

#include "runtime/recorder.h"

enum {
    INPUTS_MOST = 1 << 20,    /* bytes that a process keeps */
    INPUTS_CLOCK_MOST = 4096, /* times that clocks were asked, of a process */
    INPUT_RANDOM = 1,
    INPUT_CLOCK = 16, /* and the clock's number: nanoseconds */
};

struct input_head {
    uint64_t thread; /* recorder.path */
    uint32_t kind, length;
};

/* Is this a replay that gives something back? */
extern bool inputs_given;

/* Reads what is to be given back, from the file that PREPLAY_INPUTS names. */
void inputs_start(void);
/* The same bytes as in the recorded run; false if there are none. */
bool inputs_again(struct recorder *self, unsigned kind, void *bytes, size_t length);
/* Keeps them for that. */
void inputs_keep(const struct recorder *self, unsigned kind, const void *bytes, size_t length);

#endif
