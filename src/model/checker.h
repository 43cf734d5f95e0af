/* SPDX-License-Identifier: MIT */
/* The independent witness checker: it knows nothing of any engine, only the
 * semantics of machine.h. A witness is a list of events, by pos; what it must
 * end in depends on the kind of error it is a witness of:
 *
 *   race       the two accesses, last: before them the reordering is correct,
 *              each is the next event of its thread, and they conflict. Their
 *              own values need not be kept. Or the whole witness is correct and ends in
 *              the second access, and its happens-before leaves the first unordered
 *              with it: locks, signals, plain reads of what was written, and atomics as
 *              far as their memory orders go (order.h). So do relaxed atomics, which
 *              are seen without making anything else seen.
 *   deadlock   the blocked operations, last: before them the reordering is correct,
 *              each is the next event of its thread and waits for good. Either they are
 *              in the order of a cycle, each waiting for the thread of the next one and for
 *              no other of them; or some wait for a signal or a post, and all who could give
 *              it are among them (blocking.h). One event alone is a lost wake-up: the return from a
 *              wait that no signal has chosen and that no other thread has one left for.
 *              Of a deadlock that happened the last events are wishes (trace.h); before
 *              them stands the whole recorded run, and its end is stuck in them (hang.h).
 *   atomicity  window begin, then the culprit, then window end as the last
 *              event, begin and end of one thread, the culprit of another. The
 *              values that the culprit and the window's end see need not be
 *              kept.
 *   order      the read, last: before it the reordering is correct and, if the read is early, has
 *              no write of its variable, or, if it is late, has the write that ends it
 *              (untimely.h).
 *   misuse     the operation that is one, last, because of the other event, which is executed
 *              before it (misuse.h): before it the reordering is correct and no event a misuse. */
#ifndef PREPLAY_MODEL_CHECKER_H
#define PREPLAY_MODEL_CHECKER_H

#include "model/machine.h"

/* What a witness claims: the error's events, as in struct finding. */
struct claim {
    enum finding_kind kind;
    const uint32_t *events; /* pos values; for atomicity: begin, end, culprit; for misuse: because
                               of which, which; for order: the read, the write */
    uint32_t event_count;
    const uint32_t *witness;
    uint32_t witness_length;
    bool in_turns; /* only the ends of turns are listed (trace/turns.h) */
};

struct complaint {
    uint32_t at;  /* place in the witness, with every event of its turns */
    uint32_t pos; /* event there */
    const char *rule;
};

/* True if the witness proves the claim under the rules' model; otherwise the
 * first broken rule is in `complaint`. */
bool witness_check(const struct rules *rules, const struct claim *claim,
                   struct complaint *complaint);
/* The same for a witness, every event listed, whose first `count` events `begun` has executed
 * by these rules: they are not gone over again. */
bool witness_check_after(const struct rules *rules, const struct machine *begun, uint32_t count,
                         const struct claim *claim, struct complaint *complaint);

#endif
