/* From a solver's model to a witness. */
#ifndef PREPLAY_SEARCH_SMT_WITNESS_H
#define PREPLAY_SEARCH_SMT_WITNESS_H

#include "search/smt_solver.h"

struct smt_positions ARRAY_OF(uint32_t);

/* The events that the model executes, in its order, with the events in between
 * that constrain nobody; then the two events of the race. */
void smt_witness(const struct smt_encoding *encoding, const struct smt_model *model, uint32_t first,
                 uint32_t second, struct smt_positions *witness);

#endif
