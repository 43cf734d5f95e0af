/* SPDX-License-Identifier: MIT */
/* What auto decides: tasks for the solver, made from a history. */
#ifndef PREPLAY_AUTO_AUTO_TASKS_H
#define PREPLAY_AUTO_AUTO_TASKS_H

#include "base/array.h"
#include "engine/engine.h"
#include "deadlock/lock_order.h"
#include "search/solve.h"

/* Tasks whose events lie in one array; a task's `events` is set by tasks_finish(). */
struct tasks {
    struct task_list ARRAY_OF(struct solve_task) list;
    struct task_starts ARRAY_OF(size_t) starts;
    struct task_events ARRAY_OF(uint32_t) events;
    uint64_t left_out; /* cycles that were too many to be tried */
};

/* Cycles of lock dependencies (lock_cycles.h) that are not among the run's findings yet, a few
 * instances of each, or with every pair wanted each tuple of acquires as a task of its own. */
void tasks_add_deadlocks(struct tasks *tasks, const struct engine_run *run,
                         const struct lock_order *order);
void tasks_finish(struct tasks *tasks);
void tasks_free(struct tasks *tasks);

#endif
