/* SPDX-License-Identifier: MIT */
/* preplay tiddle --from TRACE ID: a finding as a trace of its own. */
#ifndef PREPLAY_CLI_TIDDLE_FROM_H
#define PREPLAY_CLI_TIDDLE_FROM_H

#include "cli/options.h"
#include "trace/history.h"

/* A finding cut out of its trace. The names are those of `trace`. */
struct excerpt {
    struct trace *source;    /* the trace that was read */
    struct trace *trace;     /* the excerpt's own */
    struct history *history; /* of the excerpt */
    char *text;              /* it, as .std */
    char *title;             /* one line: what it shows */
};

/* 0, or -1 with an error; excerpt_free() in either case. */
int excerpt_make(struct excerpt *excerpt, const struct options *options, struct error *error);
void excerpt_free(struct excerpt *excerpt);

#endif
