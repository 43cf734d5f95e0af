/* SPDX-License-Identifier: MIT */
/* Each object twice: AT_ as in the run, FROZEN_ when nothing changes any more, and the only
 * question is for whom it keeps a thread waiting. */
#include "csp/cspm_stuck.h"

#include "base/array.h"

static void begin_part(const struct cspm_model *model)
{
    fputs("\n    [| gate |] ", model->out);
}

static void compose(const struct cspm_model *model, const char *process, enum object_class class,
                    const bool *members, bool wanted, const char *arguments)
{
    for (uint32_t id = 0; id < trace_count(model->history->trace, class); id++)
        if (!members || members[id] == wanted) {
            begin_part(model);
            fprintf(model->out, "%s(%s%s)", process, cspm_name(&model->names, class, id),
                    arguments);
        }
}

static void define_forks(const struct cspm_model *model)
{
    if (model->used[CHANNEL_FORK])
        fputs("\nAT_FORK(i) = fork?t!i -> AT_START(i) [] freeze -> FROZEN_FORK(i)\n"
              "AT_START(i) = start.i -> freeze -> FROZEN_FORK(i) [] freeze -> FROZEN_FORK(i)\n"
              "FROZEN_FORK(i) = fork?t!i -> FROZEN_FORK(i) [] free?t -> FROZEN_FORK(i)\n",
              model->out);
    if (!model->used[CHANNEL_END])
        return;
    const char *join = model->used[CHANNEL_JOIN] ? "join?t!i -> AT_ENDED(i) [] " : "";
    fprintf(model->out,
            "\nAT_JOIN(i) = end.i -> AT_ENDED(i) [] freeze -> FROZEN_JOIN(i, {i})\n"
            "AT_ENDED(i) = %sfreeze -> FROZEN_JOIN(i, {})\n"
            "FROZEN_JOIN(i, h) = end.i -> FROZEN_JOIN(i, h) [] free?t -> FROZEN_JOIN(i, diff(h, "
            "{t}))\n",
            join);
    if (model->used[CHANNEL_JOIN])
        fputs("    [] h == {} & join?t!i -> FROZEN_JOIN(i, h)\n", model->out);
}

static void define_mutexes(const struct cspm_model *model)
{
    if (!model->used[CHANNEL_LOCK])
        return;
    fprintf(model->out,
            "\nAT_MUTEX(i) = lock?t!i -> AT_HELD(i, t) [] freeze -> FROZEN_MUTEX(i, {})\n"
            "AT_HELD(i, t) = unlock.t.i -> AT_MUTEX(i) [] freeze -> FROZEN_MUTEX(i, {t})\n%s"
            "FROZEN_MUTEX(i, h) = h == {} & lock?t!i -> FROZEN_MUTEX(i, h)\n"
            "    [] unlock?t!i -> FROZEN_MUTEX(i, h)\n"
            "    [] free?t -> FROZEN_MUTEX(i, diff(h, {t}))\n",
            model->used[CHANNEL_LOCKFAIL] ? "    [] lockfail?u!i -> AT_HELD(i, t)\n" : "");
}

static void define_rwlocks(const struct cspm_model *model)
{
    if (!model->used[CHANNEL_RDLOCK])
        return;
    fprintf(model->out,
            "\n-- w: who writes; r: who reads\n"
            "AT_RWLOCK(i, w, r) = w == {} & r == {} & wrlock?t!i -> AT_RWLOCK(i, {t}, r)\n"
            "    [] w == {} & rdlock?t:diff(Threads, r)!i -> AT_RWLOCK(i, w, union(r, {t}))\n"
            "    [] wrunlock?t:w!i -> AT_RWLOCK(i, {}, r)\n"
            "    [] rdunlock?t:r!i -> AT_RWLOCK(i, w, diff(r, {t}))\n%s%s"
            "    [] freeze -> FROZEN_RWLOCK(i, w, r)\n"
            "FROZEN_RWLOCK(i, w, r) = w == {} & r == {} & wrlock?t!i -> FROZEN_RWLOCK(i, w, r)\n"
            "    [] w == {} & rdlock?t!i -> FROZEN_RWLOCK(i, w, r)\n"
            "    [] wrunlock?t!i -> FROZEN_RWLOCK(i, w, r)\n"
            "    [] rdunlock?t!i -> FROZEN_RWLOCK(i, w, r)\n"
            "    [] free?t -> FROZEN_RWLOCK(i, diff(w, {t}), diff(r, {t}))\n",
            model->used[CHANNEL_WRFAIL]
                ? "    [] ([] u : union(w, r) @ wrfail?t!i -> AT_RWLOCK(i, w, r))\n"
                : "",
            model->used[CHANNEL_RDFAIL] ? "    [] ([] u : w @ rdfail?t!i -> AT_RWLOCK(i, w, r))\n"
                                        : "");
}

static void define_conditions(const struct cspm_model *model)
{
    if (!model->used[CHANNEL_WAIT])
        return;
    bool last = model->used[CHANNEL_LAST_SIGNAL];
    fprintf(model->out,
            "\n-- h: who has a signal left\n"
            "AT_CONDITION(i, w, r, h) = wait?t!i -> AT_CONDITION(i, union(w, {t}), r, h)\n"
            "    [] signal?t!i ->\n"
            "        (if empty(w) then AT_CONDITION(i, w, r, h)\n"
            "         else (|~| u : w @ AT_CONDITION(i, diff(w, {u}), union(r, {u}), h)))\n"
            "    [] broadcast?t!i -> AT_CONDITION(i, {}, union(w, r), h)\n"
            "    [] woken?t:r!i -> AT_CONDITION(i, w, diff(r, {t}), h)\n"
            "    [] spurious?t:union(w, r)!i -> AT_CONDITION(i, diff(w, {t}), diff(r, {t}), h)\n%s"
            "    [] freeze -> FROZEN_CONDITION(i, r, h)\n"
            "FROZEN_CONDITION(i, r, h) = woken?t:r!i -> FROZEN_CONDITION(i, r, h)\n"
            "    [] wait?t!i -> FROZEN_CONDITION(i, r, h)\n"
            "    [] signal?t!i -> FROZEN_CONDITION(i, r, h)\n"
            "    [] broadcast?t!i -> FROZEN_CONDITION(i, r, h)\n%s"
            "    [] free?t:h -> FROZEN_CONDITION(i, Threads, h)\n"
            "    [] free?t:diff(Threads, h) -> FROZEN_CONDITION(i, r, h)\n",
            last ? "    [] last_signal?t!i -> AT_CONDITION(i, w, r, diff(h, {t}))\n" : "",
            last ? "    [] last_signal?t!i -> FROZEN_CONDITION(i, r, h)\n" : "");
}

static void define_semaphores(const struct cspm_model *model)
{
    if (!model->used[CHANNEL_POST])
        return;
    const char *fail = model->used[CHANNEL_SEMFAIL]
                           ? "    [] n == 0 & semfail?t!s -> AT_SEMAPHORE(s, n, u, h)\n"
                           : "";
    bool last = model->used[CHANNEL_LAST_POST];
    fprintf(model->out,
            "\n-- u: the highest count; h: who has a post left\n"
            "AT_SEMAPHORE(s, n, u, h) = n < u & post?t!s -> AT_SEMAPHORE(s, n + 1, u, h)\n"
            "    [] n > 0 & semwait?t!s -> AT_SEMAPHORE(s, n - 1, u, h)\n%s%s"
            "    [] freeze -> FROZEN_SEMAPHORE(s, n, h)\n"
            "FROZEN_SEMAPHORE(s, n, h) = post?t!s -> FROZEN_SEMAPHORE(s, n, h)\n%s"
            "    [] n > 0 & semwait?t!s -> FROZEN_SEMAPHORE(s, n, h)\n"
            "    [] free?t:h -> FROZEN_SEMAPHORE(s, 1, h)\n"
            "    [] free?t:diff(Threads, h) -> FROZEN_SEMAPHORE(s, n, h)\n",
            fail, last ? "    [] last_post?t!s -> AT_SEMAPHORE(s, n, u, diff(h, {t}))\n" : "",
            last ? "    [] last_post?t!s -> FROZEN_SEMAPHORE(s, n, h)\n" : "");
}

/* A semaphore that every thread takes and posts in turn (model/semaphore_locks.h). */
static void define_semaphore_locks(const struct cspm_model *model)
{
    if (!model->semaphore_locks)
        return;
    fprintf(model->out,
            "\n-- a semaphore that is used as a lock; h: who has taken it\n"
            "AT_TAKEN(s, n, u, h) = n < u & post?t!s -> AT_TAKEN(s, n + 1, u, diff(h, {t}))\n"
            "    [] n > 0 & semwait?t!s -> AT_TAKEN(s, n - 1, u, union(h, {t}))\n%s"
            "    [] freeze -> FROZEN_TAKEN(s, n, h)\n"
            "FROZEN_TAKEN(s, n, h) = post?t!s -> FROZEN_TAKEN(s, n, h)\n"
            "    [] h == {} & semwait?t!s -> FROZEN_TAKEN(s, n, h)\n"
            "    [] free?t -> FROZEN_TAKEN(s, n, diff(h, {t}))\n",
            model->used[CHANNEL_SEMFAIL] ? "    [] n == 0 & semfail?t!s -> AT_TAKEN(s, n, u, h)\n"
                                         : "");
}

static void define_barriers(const struct cspm_model *model)
{
    if (!trace_barrier_instances(model->history->trace))
        return;
    fputs("\n-- i: a use of a barrier; u: the one after it; w: who has yet to enter\n"
          "AT_USE(i, u, w) = barrier_enter?t:w!i -> AT_USE(i, u, diff(w, {t}))\n"
          "    [] barrier_enter?t?e:diff(Barriers, {i, u}) -> AT_USE(i, u, w)\n"
          "    [] w == {} & barrier_enter?t!u -> AT_USE(i, u, w)\n"
          "    [] w == {} & barrier_exit?t!i -> AT_USE(i, u, w)\n"
          "    [] barrier_exit?t?e:diff(Barriers, {i}) -> AT_USE(i, u, w)\n"
          "    [] freeze -> FROZEN_USE(i, u, w)\n"
          "FROZEN_USE(i, u, w) = barrier_enter?t?e:diff(Barriers, {u}) -> FROZEN_USE(i, u, w)\n"
          "    [] w == {} & barrier_enter?t!u -> FROZEN_USE(i, u, w)\n"
          "    [] w == {} & barrier_exit?t!i -> FROZEN_USE(i, u, w)\n"
          "    [] barrier_exit?t?e:diff(Barriers, {i}) -> FROZEN_USE(i, u, w)\n"
          "    [] free?t -> FROZEN_USE(i, u, diff(w, {t}))\n",
          model->out);
}

static void define_rest(const struct cspm_model *model)
{
    if (model->used[CHANNEL_ONCE_BEGIN])
        fputs("\nAT_ONCE(i) = once_begin?t!i -> AT_RUNNING(i, t) [] freeze -> FROZEN_ONCE(i, {})\n"
              "AT_RUNNING(i, t) = once_end.t.i -> AT_PASSED(i) [] freeze -> FROZEN_ONCE(i, {t})\n"
              "AT_PASSED(i) = once_pass?t!i -> AT_PASSED(i) [] freeze -> FROZEN_ONCE(i, {})\n"
              "FROZEN_ONCE(i, h) = h == {} & once_pass?t!i -> FROZEN_ONCE(i, h)\n"
              "    [] once_begin?t!i -> FROZEN_ONCE(i, h) [] once_end?t!i -> FROZEN_ONCE(i, h)\n"
              "    [] free?t -> FROZEN_ONCE(i, diff(h, {t}))\n",
              model->out);
    if (model->used[CHANNEL_LOAD])
        fputs(
            "\nAT_ATOMIC(v, n) = store?t!v?w -> AT_ATOMIC(v, w) [] load?t!v!n -> AT_ATOMIC(v, n)\n"
            "    [] rmw?t!v!n?w -> AT_ATOMIC(v, w) [] freeze -> FROZEN_ATOMIC(v)\n"
            "FROZEN_ATOMIC(v) = store?t!v?w -> FROZEN_ATOMIC(v) [] free?t -> FROZEN_ATOMIC(v)\n",
            model->out);
}

/* Threads that have an operation on the object. */
static void write_threads_with(struct cspm_model *model, uint64_t ops, uint32_t object)
{
    const struct history *history = model->history;
    bool *members = NEW_ARRAY(bool, history->threads);
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        uint32_t of = event->op == EVENT_BARRIER_ENTER ? event->other : event->object;
        if (op_in(event->op, ops) && of == object)
            members[event->thread] = true;
    }
    cspm_write_set_of_threads(model, members);
    free(members);
}

static void compose_conditions(struct cspm_model *model)
{
    for (uint32_t i = 0; i < trace_count(model->history->trace, CLASS_CONDITION); i++) {
        begin_part(model);
        fprintf(model->out, "AT_CONDITION(%s, {}, {}, ",
                cspm_name(&model->names, CLASS_CONDITION, i));
        write_threads_with(model, OP_BIT(EVENT_SIGNAL) | OP_BIT(EVENT_BROADCAST), i);
        fputs(")", model->out);
    }
}

static void compose_semaphores(struct cspm_model *model)
{
    const struct trace *trace = model->history->trace;
    for (uint32_t i = 0; i < trace_count(trace, CLASS_SEMAPHORE); i++) {
        uint32_t initial = trace_semaphore_initial(trace, i);
        bool lock = model->semaphore_locks && model->semaphore_locks[i];
        begin_part(model);
        fprintf(model->out, "%s(%s, %u, %u, ", lock ? "AT_TAKEN" : "AT_SEMAPHORE",
                cspm_name(&model->names, CLASS_SEMAPHORE, i), initial,
                initial + cspm_count_posts(model->history, i));
        write_threads_with(model, lock ? 0 : OP_BIT(EVENT_POST), i);
        fputs(")", model->out);
    }
}

static uint32_t use_after(const struct cspm_model *model, uint32_t instance)
{
    uint32_t instances = trace_barrier_instances(model->history->trace);
    for (uint32_t i = instance + 1; i < instances; i++)
        if (model->instance_barrier[i] == model->instance_barrier[instance])
            return i;
    return POS_NONE;
}

/* All of them take part in every enter and exit. */
static void compose_barriers(struct cspm_model *model)
{
    uint32_t instances = trace_barrier_instances(model->history->trace);
    for (uint32_t i = 0; i < instances; i++) {
        uint32_t next = use_after(model, i);
        fputs(i ? "\n        [| {| barrier_enter, barrier_exit, freeze, free |} |] "
                : "\n    [| gate |] (",
              model->out);
        fputs("AT_USE(", model->out);
        cspm_write_instance(model->out, i);
        fputs(", ", model->out);
        if (next == POS_NONE)
            fputs("no_use", model->out);
        else
            cspm_write_instance(model->out, next);
        fputs(", ", model->out);
        write_threads_with(model, OP_BIT(EVENT_BARRIER_ENTER), i);
        fputs(i + 1 == instances ? "))" : ")", model->out);
    }
}

/* {}, not {| |}, where nothing is said. */
static void write_said_set(const struct cspm_model *model)
{
    if (model->used[CHANNEL_LAST_SIGNAL] && model->used[CHANNEL_LAST_POST])
        fputs("said_set = {| last_signal, last_post |}\n", model->out);
    else if (model->used[CHANNEL_LAST_SIGNAL])
        fputs("said_set = {| last_signal |}\n", model->out);
    else if (model->used[CHANNEL_LAST_POST])
        fputs("said_set = {| last_post |}\n", model->out);
    else
        fputs("said_set = {}\n", model->out);
}

void cspm_write_frozen_objects(struct cspm_model *model)
{
    uint32_t threads = model->history->threads;
    bool *ending = NEW_ARRAY(bool, threads);
    for (uint32_t i = 0; i < threads; i++)
        ending[i] = model->forked[i] || model->joined[i];
    define_forks(model);
    define_mutexes(model);
    define_rwlocks(model);
    define_conditions(model);
    define_semaphores(model);
    define_semaphore_locks(model);
    define_barriers(model);
    define_rest(model);
    fputs("\nAT_NOTHING = freeze -> FROZEN_NOTHING\nFROZEN_NOTHING = free?t -> FROZEN_NOTHING\n",
          model->out);
    write_said_set(model);
    fputs("AT_SYNC = AT_NOTHING", model->out);
    if (model->used[CHANNEL_FORK])
        compose(model, "AT_FORK", CLASS_THREAD, model->forked, true, "");
    compose(model, "AT_JOIN", CLASS_THREAD, ending, true, "");
    if (model->used[CHANNEL_LOCK])
        compose(model, "AT_MUTEX", CLASS_LOCK, model->rwlock, false, "");
    compose(model, "AT_RWLOCK", CLASS_LOCK, model->rwlock, true, ", {}, {}");
    compose_conditions(model);
    compose_semaphores(model);
    compose_barriers(model);
    if (model->used[CHANNEL_ONCE_BEGIN])
        compose(model, "AT_ONCE", CLASS_ONCE, NULL, true, "");
    if (model->used[CHANNEL_LOAD])
        compose(model, "AT_ATOMIC", CLASS_VARIABLE, model->atomic, true, ", 0");
    putc('\n', model->out);
    free(ending);
}
