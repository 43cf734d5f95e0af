/* SPDX-License-Identifier: MIT */
/* What engines find, replay decides on and reports show (docs/design.md, "The command line"). */
#ifndef PREPLAY_TRACE_FINDING_H
#define PREPLAY_TRACE_FINDING_H

#include "trace/consequence.h"
#include "trace/trace.h"

enum finding_kind {
    FINDING_RACE,
    FINDING_DEADLOCK,
    FINDING_ATOMICITY,
    FINDING_FAILURE, /* a replay on the way to one of the others failed (struct finding: `from`) */
    FINDING_MISUSE,  /* of threads and locks (misuse_rules.h) */
    FINDING_ORDER,   /* a read before what it relies on, or after it is gone (model/untimely.h) */
    FINDING_KINDS,
};

enum model { MODEL_NONE, MODEL_SYNC, MODEL_VALUE, MODEL_RF, MODEL_BRANCH, MODEL_COUNT };

enum verdict {
    VERDICT_CANDIDATE, /* of an unsound engine or model, not replayed */
    VERDICT_PREDICTED,
    VERDICT_OBSERVED,
    VERDICT_SEEN_ONCE, /* a replay reached it, the same schedule again did not */
    VERDICT_CONFIRMED, /* replays reached it, twice, by the schedule that is kept */
    VERDICT_DIVERGED,
    VERDICT_UNREACHED,
    VERDICT_TIMEOUT,
    VERDICT_ADVICE, /* it happened, and is no error (misuse_is_advice()) */
    VERDICT_COUNT,
};

/* Where in its atomic block the culprit strikes (Sadowski, Fig. 20.3); of an order violation,
 * whether the read comes before the write that it relies on or after the one that ends it. */
enum atomicity_error { ATOMICITY_NONE, ATOMICITY_BEFORE, ATOMICITY_IN, ATOMICITY_AFTER };

struct finding_event {
    uint32_t thread, index, pos;
    uint32_t location, stack;
    uint8_t op;
    uint8_t size;
    uint8_t flags; /* enum event_flag */
};

struct finding {
    enum finding_kind kind;
    enum finding_kind from; /* of a failure: what its schedule was to reach */
    enum model model;
    enum verdict verdict;
    enum atomicity_error error;
    const char *engine;
    enum object_class object_class; /* class of `object`; CLASS_NONE if it has none */
    uint32_t object;
    uint32_t block; /* label of the atomic block; INTERN_NONE if none */
    /* Two accesses; acquires of the cycle; window and culprit; because of which, which misuse; the
     * read and the write. */
    struct finding_event *events;
    uint32_t event_count;
    uint32_t *witness; /* pos values; NULL where the engine gives none */
    uint32_t witness_length;
    bool in_turns;                  /* of the witness only the ends of turns are listed (turns.h) */
    const char *note;               /* one line for the reader, or NULL; owned by the finding */
    const char *replay;             /* what came of replaying it, or NULL; owned by the finding */
    const char *rule;               /* which of its kind (finding_rule_find()), or NULL */
    struct consequence consequence; /* what the program did after it; owned by the finding */
    char via[16]; /* id of the finding whose schedule reached this one, or empty: its own did */
    char
        beside[16]; /* id of one that a replay of this one, or whose replay, showed too, or empty */
};

struct findings {
    struct finding *items;
    size_t count, capacity;
    /* If set, locations are the same if their texts are: several instructions of a
     * recorded program belong to one place in its source. */
    const struct trace *trace;
    bool every_pair;             /* --pairs: one per tuple of events, not of locations */
    struct finding_index *index; /* what was added already */
};

struct findings *findings_create(bool every_pair);
void findings_destroy(struct findings *findings);

/* True if a finding with these locations (or events, with --pairs) is new for
 * `engine`. Cheap: ask before searching for a witness. */
bool findings_is_new(const struct findings *findings, const struct finding *finding);

/* Copies `finding` in, with its events and witness, unless it is known already;
 * returns the stored one, or NULL if it was known. */
struct finding *findings_add(struct findings *findings, const struct finding *finding);

/* True if it is new, or known only as a candidate of `sync`. */
bool findings_is_unproven(const struct findings *findings, const struct finding *finding);
/* The same as findings_add(), but a candidate of `sync` makes room for it. Before sorting. */
struct finding *findings_add_proven(struct findings *findings, const struct finding *finding);

/* Sets the verdict and, as a copy, what was seen. What was observed stays so: no replay can
 * make it more or less true. */
void finding_settle(struct finding *finding, enum verdict verdict, const char *replay);

/* Is it a race whose witness performs both accesses, with nothing that orders them, instead
 * of ending where both are next (model/checker.h)? */
bool finding_is_unordered(const struct finding *finding);
/* How many events at the end of its witness are not performed: those of the error, unless
 * the error is what they do when they are. */
uint32_t finding_ends(const struct finding *finding);

/* Sorts by kind, then by events' positions: the same trace, the same output. */
void findings_sort(struct findings *findings);

/* A race's two events from positions. `index` is each event's index in its thread. */
void finding_event_fill(struct finding_event *out, const struct event *event, uint32_t pos,
                        uint32_t index);

/* What its events are: of a failure, those of what its schedule was to reach. */
static inline enum finding_kind finding_shape(const struct finding *finding)
{
    return finding->kind == FINDING_FAILURE ? finding->from : finding->kind;
}

/* Did it happen, in the recorded run or in a replay? */
static inline bool finding_happened(const struct finding *finding)
{
    return finding->verdict == VERDICT_OBSERVED || finding->verdict == VERDICT_SEEN_ONCE ||
           finding->verdict == VERDICT_CONFIRMED;
}

/* The rule of that name; NULL if there is none. */
const char *finding_rule_find(const char *text);
/* A race that frees what another thread uses, or frees too, has a rule by its events; so has an
 * order violation by a free. */
const char *finding_rule_of_events(const struct finding *finding);

/* Kind, error and full source locations are the same, in whatever order. */
bool finding_same(const struct finding *a, const struct trace *trace_a, const struct finding *b,
                  const struct trace *trace_b);
const char *finding_kind_text(enum finding_kind kind);
const char *model_text(enum model model);
const char *verdict_text(enum verdict verdict);
const char *atomicity_error_text(enum atomicity_error error);
/* MODEL_COUNT if there is no such model. */
enum model model_parse(const char *text);

#endif
