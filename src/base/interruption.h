/* SPDX-License-Identifier: MIT */
/* Being asked to end, by SIGINT or SIGTERM, in the middle of long work: the first signal is noted
 * and the work comes to an end by itself, so that what is known is told; the second ends the
 * process at once. A signal is for the whole process, and so is this. */
#ifndef PREPLAY_BASE_INTERRUPTION_H
#define PREPLAY_BASE_INTERRUPTION_H

#include <stdbool.h>

/* From now on. `first` is said when the first signal comes, `last` before the process ends at the
 * second; both are kept. */
void interruption_expect(const char *first, const char *last);
/* For other handlers: as if the signal had come here. */
void interruption_note(int number);

/* Is it time to come to an end? Cheap. */
extern volatile int interruption_number;
static inline bool interruption_asked(void)
{
    return interruption_number != 0;
}

/* If it was asked for: ends the process by that signal. */
void interruption_end(void);

#endif
