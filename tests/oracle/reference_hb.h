/* Happens-before by its definition: which events are tied to which, pair by
 * pair, and the transitive closure. Quadratic and without clocks, so that it
 * shares nothing with the engines that are held against it. */
#ifndef PREPLAY_ORACLE_REFERENCE_HB_H
#define PREPLAY_ORACLE_REFERENCE_HB_H

#include "trace/history.h"

enum reference_atomics {
    REFERENCE_C11,    /* as memory orders say: release sequences, fences */
    REFERENCE_STRONG, /* an atomic load comes after the write it saw, whatever the order */
};

struct reference;

struct reference *reference_create(const struct history *history, enum reference_atomics atomics);
void reference_destroy(struct reference *reference);
/* For i < j: does event i happen before event j? */
bool reference_ordered(const struct reference *reference, uint32_t i, uint32_t j);
/* For i < j: two accesses that conflict, and i does not happen before what comes
 * before j. An atomic load is thus not excused by what it acquires itself: the
 * race's own events need not see what they saw. */
bool reference_races(const struct reference *reference, uint32_t i, uint32_t j);

#endif
