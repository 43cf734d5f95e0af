/* SPDX-License-Identifier: MIT */
/* The latest operations on an object that later ones can conflict with directly: of each
 * kind (shortest_cycle.h) the latest of each thread since the latest ORDERED one. What came
 * before follows from these. An access's mark is its transaction, its tick the touch that
 * it belongs to (transaction_touch()). */
#ifndef PREPLAY_ATOMICITY_LATEST_H
#define PREPLAY_ATOMICITY_LATEST_H

#include "base/array.h"
#include "atomicity/shortest_cycle.h"

struct accesses ARRAY_OF(struct access);

/* Zeroed: nothing was done yet. */
struct latest {
    struct access ordered;              /* the latest; mark 0: none */
    uint32_t read_touch;                /* of its thread's reads before it */
    struct accesses since[TOUCH_KINDS]; /* since then (ORDERED: of semaphores only, where
                                         * nothing is) */
};

void latest_free(struct latest *latest);

void latest_remember(struct latest *latest, enum touch_kind kind, const struct access *now);
/* The same where ORDERED operations do not hide what was before them. */
void latest_remember_all(struct latest *latest, enum touch_kind kind, const struct access *now);

/* The touch that the thread's next operation of this kind continues: its last one, if
 * nothing that conflicts came in between by others; else 0. */
uint32_t latest_unbroken(const struct latest *latest, enum touch_kind kind, uint32_t thread);

#endif
