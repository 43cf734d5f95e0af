/* SPDX-License-Identifier: MIT */
/* Symmetry reduction: threads that run the same code with the same objects can change
 * places. Of all states that differ only in which of them stands where, one is enough:
 * the one in which they are sorted.
 *
 * Two processes of a slice are alike if they take the same steps, none of which forks or joins
 * a thread or writes a variable that atomics read (children, and values, are told apart by
 * whose they are), if the slice asks the same of both, and if nobody joins one of them within
 * it. They can change places in states in which both have been forked, for nothing that can
 * still happen tells them apart. In particular
 *
 *   targets      a target that is like another process stands, in the end, where that one must
 *                stand and stop as well. (The return of a wait asks for more, a signal; but
 *                nothing asks so much of another: only the release of a lock held at the start
 *                would, and two threads do not both hold the wait's mutex.)
 *   held locks   what one holds at the start and releases in the window the other releases, too;
 *                so both hold it, as readers. What is never released is the same in all states.
 *
 * A counterexample through sorted states is a real one up to names: renaming the steps as
 * the sorting renamed the processes gives the events. */
#ifndef PREPLAY_CSP_SYMMETRY_H
#define PREPLAY_CSP_SYMMETRY_H

#include "csp/product.h"

struct symmetry;

struct symmetry *symmetry_create(const struct processes *processes);
void symmetry_destroy(struct symmetry *symmetry);

/* Finds which processes of the product's slice are alike. */
void symmetry_begin(struct symmetry *symmetry, const struct product *product);

/* Copies the product's state to `words`, sorted. If `names` (by process) is not NULL, it is
 * permuted in the same way: who stands where p stood before is called names[p] then. */
void symmetry_sort(struct symmetry *symmetry, uint32_t *words, uint32_t *names);

#endif
