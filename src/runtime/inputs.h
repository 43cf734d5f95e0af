/* What the program is told from outside and cannot know beforehand: a recording keeps it, in the
 * order in which each thread asked, and a replay gives it back to the thread of the same name.
 *
 * `inputs` of the recording: a struct input_head each, and so many bytes, rounded up to eight. A
 * thread that asks for something else than it was recorded to, or for more, is told what is true
 * now. */
#ifndef PREPLAY_RUNTIME_INPUTS_H
#define PREPLAY_RUNTIME_INPUTS_H

#include "runtime/recorder.h"

enum {
    INPUTS_MOST = 1 << 20, /* bytes that a process keeps */
    INPUT_RANDOM = 1,
};

struct input_head {
    uint64_t thread; /* recorder.path */
    uint32_t kind, length;
};

/* Reads what is to be given back, from the file that PREPLAY_INPUTS names. */
void inputs_start(void);
/* The same bytes as in the recorded run; false if there are none. */
bool inputs_again(struct recorder *self, unsigned kind, void *bytes, size_t length);
/* Keeps them for that. */
void inputs_keep(const struct recorder *self, unsigned kind, const void *bytes, size_t length);

#endif
