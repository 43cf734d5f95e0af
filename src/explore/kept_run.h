/* SPDX-License-Identifier: MIT */
/* What a run under the stepper did, after the page was used for another one. */
#ifndef PREPLAY_EXPLORE_KEPT_RUN_H
#define PREPLAY_EXPLORE_KEPT_RUN_H

#include "base/error.h"
#include "stepper/page.h"

#include <stdbool.h>
#include <stddef.h>

struct kept_run {
    struct step_event *events;
    struct step_thread *threads;
    uint32_t event_count, thread_count;
    uint64_t behaviour; /* a hash of what every choice came out as (knowledge.h) */
    bool failed;
};

struct kept_run kept_run_of(const struct stepper_page *page);
struct kept_run kept_run_copy(const struct kept_run *run);
void kept_run_free(struct kept_run *run);
/* The threads' path of creation: "T0.1". */
void kept_run_path(const struct kept_run *run, uint32_t thread, char *path, size_t size);

/* A file of the exploration's directory: for reports later. Whoever reads it may have got it from
 * anybody. 0, or -1 with an error. */
int kept_run_write(const struct kept_run *run, const char *path, struct error *error);
int kept_run_read(struct kept_run *run, const char *path, struct error *error);

#endif
