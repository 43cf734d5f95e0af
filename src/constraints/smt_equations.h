/* SPDX-License-Identifier: MIT */
/* The encoding of locks of Said et al. (section 4.2, equation 4). The owner of a lock
 * is a variable: an acquire assumes that it is nobody and writes the thread, a
 * release the other way round; wait_begin is a release, wait_end an acquire, and a
 * signal sent with the mutex held assumes its owner. Whoever assumes a value comes
 * after a write of that value, with no other write in between.
 *
 * It says what one clause a pair of sections says, at cubic cost. It is kept for
 * comparison, and to show that what it simplifies to is what their paper
 * prints. Readers' locks and tries, which that does not know, are left to sections. */
#ifndef PREPLAY_CONSTRAINTS_SMT_EQUATIONS_H
#define PREPLAY_CONSTRAINTS_SMT_EQUATIONS_H

#include "constraints/smt_encode.h"

#define SMT_NOBODY POS_NONE

/* What an event asks of the lock's owner and makes of it (Said et al., Table 1). */
struct smt_owner_step {
    uint32_t pos, thread;
    bool writes;
    uint32_t assumed, written; /* owner before and after: a thread or SMT_NOBODY */
};
struct smt_owner_steps ARRAY_OF(struct smt_owner_step);

/* All steps of the lock in the window, and its owner at the start. False: the lock has
 * readers or failed tries, which are not for this encoding. */
bool smt_owner_steps_find(const struct smt_window *window, uint32_t lock,
                          struct smt_owner_steps *steps, uint32_t *initial);
/* The thread's own last write before `step`, NULL if there is none. */
const struct smt_owner_step *smt_own_write(const struct smt_window *window,
                                           const struct smt_owner_steps *steps,
                                           const struct smt_owner_step *step);
/* Is `write` in the step's predecessor write set? `own` as smt_own_write() says. */
bool smt_may_precede(const struct smt_owner_step *write, const struct smt_owner_step *own,
                     const struct smt_owner_step *step);

#endif
