/* SPDX-License-Identifier: MIT */
/* The one interface of all engines. Several engines run over one reading of the
 * trace: the driver (driver.h) feeds each batch to every engine in turn, then
 * calls finish() on each. An engine that needs the whole trace says so, and
 * finds it in run->history at finish(); the driver keeps one copy for all. An
 * engine that builds on another's results names it as its filter: it runs over the
 * same reading, once for all who want it.
 *
 * To add an engine: write NAME.c with a `const struct engine engine_NAME`, open
 * it with its idea, its paper and its guarantee, and list it in registry.c. */
#ifndef PREPLAY_ENGINE_ENGINE_H
#define PREPLAY_ENGINE_ENGINE_H

#include "trace/finding.h"
#include "trace/history.h"

/* What an engine's findings are worth, against the exhaustive truth. The test
 * driver in tests/oracle holds every engine to its word. */
enum guarantee {
    GUARANTEE_OBSERVED,      /* races of the observed order; the first is real */
    GUARANTEE_SOUND,         /* every finding is true under its model */
    GUARANTEE_COMPLETE_SYNC, /* nothing that is true under `sync` is missed */
    GUARANTEE_EXACT,         /* sound and complete under its model */
    GUARANTEE_HEURISTIC,     /* neither (must-before) */
};

/* engine/whole.h */
struct whole;
struct progress;
struct deal;

/* Who is told of what happened in the recorded run before prediction begins. The findings are
 * borrowed. */
struct observer {
    void (*tell)(void *context, const struct trace *trace, struct findings *observed);
    void *context;
};

struct engine_options {
    enum model model;          /* MODEL_NONE: the engine's own default */
    uint32_t window;           /* events; 0: no window */
    bool whole;                /* ... and that was asked for: nor an engine's own */
    uint32_t jobs;             /* worker threads; at least 1 */
    bool every_pair;           /* --pairs */
    bool advise;               /* --advise: what is no error, too */
    bool per_pair;             /* csp: one check a thread pair */
    double pair_seconds;       /* smt: limit of a pair; 0: none */
    uint64_t budget;           /* search steps a candidate; 0: the engine's default */
    uint64_t log_limit;        /* tlh: synchronisation kept without a candidate; 0: default */
    struct progress *progress; /* who watches, or NULL */
    struct deal *deal;         /* processes that share the work (base/deal.h), or NULL */
    const char *const *blocks; /* globs of atomic functions, NULL-terminated, or NULL */

    const struct observer *observer; /* or NULL */
};

/* One engine at work on one trace. */
struct engine_run {
    const struct engine *engine;
    const struct trace *trace;
    const struct engine_options *options;
    const struct history *history; /* at finish(), if the engine asked for it */
    struct engine_run *filter;     /* of engine->filter */
    struct whole *whole;           /* to ask for the history, if engine->may_want_whole */
    struct findings *findings;
    double seconds; /* spent in this engine's callbacks */
    /* Counted by engines that search; shown by predict and compare. */
    uint64_t candidates, refuted, exhausted;
    void *state;
};

#define FINDS_RACES     (1u << FINDING_RACE)
#define FINDS_DEADLOCKS (1u << FINDING_DEADLOCK)
#define FINDS_ATOMICITY (1u << FINDING_ATOMICITY)
#define FINDS_MISUSE    (1u << FINDING_MISUSE)
#define FINDS_ORDER     (1u << FINDING_ORDER)

struct engine {
    const char *name;
    const char *summary; /* what it finds, in a few words */
    const char *promise; /* the guarantee, in a few words */
    const char *source;  /* where it is described */
    unsigned finds;      /* FINDS_*, or-ed */
    enum guarantee guarantee;
    enum model default_model;
    unsigned models; /* bits 1u << MODEL_*, those -m may choose */
    bool whole_trace;
    bool may_want_whole; /* at finish(), by whole_history() */
    const struct engine *filter;
    bool one_per_object; /* of races, it reports one a variable unless asked for all */
    bool predicts_none;  /* only what happened: not for `compare`, unless by name */

    /* Each may be NULL, where there is nothing to do. */
    void (*create)(struct engine_run *run);
    /* `first` is the pos of events[0]. */
    void (*events)(struct engine_run *run, const struct event *events, size_t count,
                   uint32_t first);
    int (*finish)(struct engine_run *run, struct error *error);
    void (*destroy)(struct engine_run *run);
};

/* The steps of a run, in their order; 0 or -1. */
void engine_begin(struct engine_run *run);
void engine_feed(struct engine_run *run, const struct event *events, size_t count, uint32_t first);
int engine_finish(struct engine_run *run, struct error *error);
void engine_end(struct engine_run *run);

/* NULL-terminated, in the order in which `compare` shows them. */
extern const struct engine *const engine_registry[];
const struct engine *engine_find(const char *name, size_t length);

/* The model this run works under. */
enum model engine_model(const struct engine_run *run);

#endif
