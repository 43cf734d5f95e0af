/* Holds engines to their word (enum guarantee) on one trace:
 *
 *   observed       (of races) the pairs reported are those that happens-before by its
 *                  definition leaves unordered, and the earliest are true
 *   sound          every finding is true under its model
 *   complete sync  every error that is true under `sync` is found
 *   exact          both, under its model
 *   any            every witness passes the checker; what a sound engine finds,
 *                  a complete one does not miss
 *
 * Traces too large for the oracle are held to what does not need it. */
#ifndef PREPLAY_ORACLE_COMPARE_H
#define PREPLAY_ORACLE_COMPARE_H

#include "engine/engine.h"
#include "tiddle/generator.h"
#include "oracle/oracle.h"

enum { COMPARED_ENGINES = 32 };

/* Sums over all traces compared, of one engine. */
struct tally {
    uint64_t reported, reported_true; /* findings; those in the truth of its model */
    uint64_t truth;                   /* errors of the kinds it looks for, under its model */
    uint64_t exhausted;               /* candidates it gave up on */
};

struct comparer {
    const struct engine *engines[COMPARED_ENGINES];
    size_t count;
    struct engine_options options; /* every_pair is set; without it, locations are compared */
    uint64_t state_limit;          /* of the oracle, per trace and model */
    bool check_oracle;             /* compare it with the machine, too: slow */
    struct oracle *oracle;
    struct tally tallies[COMPARED_ENGINES];
    uint64_t traces, without_truth;
};

void comparer_init(struct comparer *comparer);
void comparer_free(struct comparer *comparer);

/* What is wrong; `what` is the same for failures of the same nature. */
struct difference {
    const char *engine; /* or "oracle" */
    const char *what;
    char detail[400];
};

/* True if all engines keep their word. */
bool compare(struct comparer *comparer, const struct sample *sample, struct difference *difference);

/* The observed order is one that the rules allow, and reads return what was
 * written: what the reader does not check, and shrinking may break. */
bool sample_is_consistent(const struct sample *sample);

/* Takes events away as long as the same difference remains. Returns the .std
 * text (malloc-ed) and leaves its difference in `difference`. */
char *shrink(struct comparer *comparer, const struct sample *sample, struct difference *difference);

#endif
