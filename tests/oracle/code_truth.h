/* What is true of a small Tiddle program, by visiting all its schedules: what its threads can see,
 * how it can end. Knows nothing of src/explore. */
#ifndef PREPLAY_ORACLE_CODE_TRUTH_H
#define PREPLAY_ORACLE_CODE_TRUTH_H

#include "base/intern.h"
#include "base/map.h"
#include "oracle/code_machine.h"

/* What runs have shown. */
struct code_seen {
    struct map histories; /* of each thread: what it did and read */
    struct map failures;  /* of the thread whose assertion failed */
    struct map classes;   /* of whole runs, by which write each read has seen */
    /* How a run ended, as text: "end x=1 y=2", "fails 7" (the line), "stuck 5 7 join" (the lines
     * before which threads stand for ever, without who of those that do the same stands where). */
    struct interner *ends;
};

void code_seen_begin(struct code_seen *seen);
void code_seen_free(struct code_seen *seen);

/* After each step, and at the beginning: true if it is the end. */
bool code_note(const struct machine_code *code, const struct machine *machine,
               struct code_seen *seen);
/* All schedules; false if there are more than `most` states. */
bool code_truth(const struct machine_code *code, size_t most, struct code_seen *seen);

/* The same, but for classes? */
bool code_seen_same(const struct code_seen *a, const struct code_seen *b);
/* Are all ends of `a` among those of `b`? */
bool code_ends_within(const struct interner *a, const struct interner *b);

#endif
