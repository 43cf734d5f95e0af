/* Symmetry reduction: threads that run the same code with the same objects can change
 * places. Of all states that differ only in which of them stands where, one is enough:
 * the one in which they are sorted.
 *
 * Two processes of a slice are alike if they take the same steps, as far as the slice lets
 * them, none of which names another thread or writes a variable that atomics read (values
 * are told apart by who wrote them), if neither is a target or holds locks at the start,
 * and if nobody joins one of them within the slice. They can change places in states in
 * which both have been forked, for nothing that can still happen tells them apart.
 *
 * A counterexample through sorted states is a real one up to names: renaming the steps as
 * the sorting renamed the processes gives the events. */
#ifndef PREPLAY_SEARCH_SYMMETRY_H
#define PREPLAY_SEARCH_SYMMETRY_H

#include "search/product.h"

struct symmetry;

struct symmetry *symmetry_create(const struct processes *processes);
void symmetry_destroy(struct symmetry *symmetry);

/* Finds which processes of the product's slice are alike. */
void symmetry_begin(struct symmetry *symmetry, const struct product *product);

/* Copies the product's state to `words`, sorted. If `names` (by process) is not NULL, it is
 * permuted in the same way: who stands where p stood before is called names[p] then. */
void symmetry_sort(struct symmetry *symmetry, uint32_t *words, uint32_t *names);

#endif
