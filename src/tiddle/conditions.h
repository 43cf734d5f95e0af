/* Can pthreads wake the threads that the trace wakes? A signal of the model may
 * wake any thread that waits. glibc's condition variables are choosier:
 *
 *  - threads wait in two groups; signals go to the older group, G1, until each of
 *    its threads has got one, and only then does the younger group take its place;
 *  - before that, a signal waits until all threads of the older group have left.
 *
 * A program that keeps a thread inside its wait until its turn can thus block the
 * next signal for ever. Rather than make a program that hangs, this says so. */
#ifndef PREPLAY_TIDDLE_CONDITIONS_H
#define PREPLAY_TIDDLE_CONDITIONS_H

#include "trace/history.h"

/* The pos of the first event that a program could not perform, and why; POS_NONE if
 * there is none. */
uint32_t conditions_check(const struct history *history, const char **reason);

#endif
