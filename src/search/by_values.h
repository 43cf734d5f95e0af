/* Questions under `value`, where a read may see any write of the value it saw. Which one
 * is too many choices for the order search; here the constraints of smt_encode.h say what a
 * choice brings with it, and a conflict-driven solver makes them (smt_own.h). */
#ifndef PREPLAY_SEARCH_BY_VALUES_H
#define PREPLAY_SEARCH_BY_VALUES_H

#include "model/machine.h"
#include "search/search.h"

/* What all searches of one index share; made when the first one needs it. */
struct values_index;

struct values_index *values_index_create(const struct rules *rules);
void values_index_destroy(struct values_index *index);

struct by_values;

/* NULL if its clocks would take too much memory. */
struct by_values *by_values_create(struct values_index *index);
void by_values_destroy(struct by_values *values);

/* Can both accesses be next? The witness, which ends in them, is valid until the next
 * question. Adds to `steps` what it took; no more than up to `limit`. */
enum search_answer by_values_race(struct by_values *values, const uint32_t pair[2], uint64_t *steps,
                                  uint64_t limit, struct search_witness *witness);
void by_values_forget(struct by_values *values);

#endif
