/* SPDX-License-Identifier: MIT */
/* What all reports are made from: a trace, its findings in the order in which a
 * reader wants them, and what the run cost. */
#ifndef PREPLAY_REPORT_REPORT_H
#define PREPLAY_REPORT_REPORT_H

#include "base/map.h"
#include "report/baseline.h"
#include "report/groups.h"
#include "report/held.h"
#include "report/json.h"
#include "report/suppressions.h"
#include "trace/history.h"

struct json_t;
struct advice;
struct thread_roles;

/* What a reader who was not there wants to know of the run. */
struct report_program {
    char command[512]; /* as a shell would read it */
    char date[32];     /* of the recording, UTC */
    char host[128];    /* name and kind of the machine */
};

struct report {
    const struct trace *trace;
    const struct history *history;        /* only JSON can do without */
    const char *process;                  /* which of several, or NULL */
    const struct report *next;            /* the report of another process of the same run */
    const char *path;                     /* of the trace, as the user named it */
    const char *directory;                /* where the program ran; may be NULL */
    const struct report_program *program; /* what was recorded, or NULL */
    const char *source_roots;             /* "DIR:..." to quote from besides, or NULL */
    const char *tool;                     /* how the user calls preplay; NULL: "preplay" */
    const struct finding **items;
    size_t count;
    size_t hidden;              /* left out of `items`: candidates that did not confirm */
    size_t most;                /* causes that text shows; 0: all, and every place of each */
    struct groups *groups;      /* of all findings that are not left out; NULL without a history */
    struct held *held;          /* at the events of `items`; NULL without a history */
    struct advice *advice;      /* about `items`; NULL without a history */
    struct thread_roles *roles; /* NULL without a history */
    const struct report_engine *engines;
    size_t engine_count;
    struct map left_out;                /* findings by address: suppressed, or in the baseline */
    size_t suppressed, known, repeated; /* how many of each */
    const struct suppressions *suppressions; /* NULL if there are none */
    const struct report_run *run;            /* NULL if the trace was not made by preplay run */
    uint32_t explored;      /* which run of preplay explore it is, from 1; 0: a recording */
    struct json_t *besides; /* by id, what findings have besides in JSON, or NULL */
    struct json_t *extra;   /* more members of the JSON's outermost object, or NULL */
};

/* Observed and confirmed findings, and predictions of sound models. */
bool report_shows(const struct finding *finding);
/* It happened, in the recorded run or in a replay of it. */
bool report_is_real(const struct finding *finding);

/* Collects the engines' findings: what happened first, then what was predicted, and
 * the rest only with `all`. */
void report_create(struct report *report, const struct trace *trace, const struct history *history,
                   const char *path, const struct report_engine *engines, size_t count, bool all);
void report_free(struct report *report);
/* Fills `held`, `advice` and `roles` from the history and `items`; report_create() does where there
 * is a history. And frees them. */
void report_look(struct report *report);
void report_forget(struct report *report);

/* Leaves out what the user does not want to see, and groups the rest by root cause; any of them may
 * be NULL. `reported` are ids of other reports, and gets this one's: an error that two processes
 * share is shown once. The suppressions must outlive the report. */
void report_leave_out(struct report *report, struct suppressions *suppressions,
                      const struct baseline *baseline, struct interner *reported);

/* Why the recording of this process, or of one after it, ended before the program did, or that
 * predicting was interrupted; NULL if all was looked at. */
const char *report_incomplete(const struct report *report);

/* Does it stand for its root cause? The others of its group follow it in `items`. */
bool report_leads(const struct report *report, const struct finding *finding);
/* How many of the findings happened, in this report and those after it. */
size_t report_count_real(const struct report *report);

#endif
