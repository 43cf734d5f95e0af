/* SPDX-License-Identifier: MIT */
#include "csp/cspm_model.h"

#include "base/array.h"
#include "base/memory.h"

/* The interleavings that make up SYNC. */
struct parts ARRAY_OF(const char *);

void cspm_write_set_of_threads(struct cspm_model *model, const bool *members)
{
    const char *separator = "";
    fputs("{", model->out);
    for (uint32_t thread = 0; thread < model->history->threads; thread++) {
        if (!members[thread])
            continue;
        fprintf(model->out, "%s%s", separator, cspm_name(&model->names, CLASS_THREAD, thread));
        separator = ", ";
    }
    fputs("}", model->out);
}

static bool any(const bool *flags, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (flags[i])
            return true;
    return false;
}

static void write_forks(struct cspm_model *model, struct parts *parts)
{
    uint32_t threads = model->history->threads;
    if (model->used[CHANNEL_FORK]) {
        fputs("\nFORK(i) = fork?t!i -> start.i -> STOP\nFORKS = ||| i : ", model->out);
        cspm_write_set_of_threads(model, model->forked);
        fputs(" @ FORK(i)\n", model->out);
        array_push(parts, "FORKS");
    }
    bool *ending = NEW_ARRAY(bool, threads);
    for (uint32_t i = 0; i < threads; i++)
        ending[i] = model->forked[i] || model->joined[i];
    if (any(ending, threads)) {
        if (model->used[CHANNEL_JOIN])
            fputs("\nJOIN(i) = end.i -> JOINED(i)\nJOINED(i) = join?t!i -> JOINED(i)\n",
                  model->out);
        else
            fputs("\nJOIN(i) = end.i -> STOP\n", model->out);
        fputs("JOINS = ||| i : ", model->out);
        cspm_write_set_of_threads(model, ending);
        fputs(" @ JOIN(i)\n", model->out);
        array_push(parts, "JOINS");
    }
    free(ending);
}

static void write_mutexes(struct cspm_model *model, struct parts *parts)
{
    if (!model->used[CHANNEL_LOCK])
        return;
    if (model->used[CHANNEL_LOCKFAIL])
        fputs("\nMUTEX(i) = lock?t!i -> HELD(i, t)\n"
              "HELD(i, t) = unlock.t.i -> MUTEX(i) [] lockfail?u!i -> HELD(i, t)\n",
              model->out);
    else
        fputs("\nMUTEX(i) = lock?t!i -> unlock.t.i -> MUTEX(i)\n", model->out);
    fputs("MUTEXES = ||| i : Mutexes @ MUTEX(i)\n", model->out);
    array_push(parts, "MUTEXES");
}

static void write_rwlocks(struct cspm_model *model, struct parts *parts)
{
    if (!model->used[CHANNEL_RDLOCK])
        return;
    fputs("\nRWLOCK(i) = wrlock?t!i -> WRITER(i, t) [] rdlock?t!i -> READERS(i, {t})\n"
          "WRITER(i, t) = wrunlock.t.i -> RWLOCK(i)\n",
          model->out);
    if (model->used[CHANNEL_WRFAIL])
        fputs("    [] wrfail?u!i -> WRITER(i, t)\n", model->out);
    if (model->used[CHANNEL_RDFAIL])
        fputs("    [] rdfail?u!i -> WRITER(i, t)\n", model->out);
    fputs("READERS(i, r) = rdlock?t:diff(Threads, r)!i -> READERS(i, union(r, {t}))\n"
          "    [] rdunlock?t:r!i ->\n"
          "        (if r == {t} then RWLOCK(i) else READERS(i, diff(r, {t})))\n",
          model->out);
    if (model->used[CHANNEL_WRFAIL])
        fputs("    [] wrfail?u!i -> READERS(i, r)\n", model->out);
    fputs("RWLOCKS = ||| i : RwLocks @ RWLOCK(i)\n", model->out);
    array_push(parts, "RWLOCKS");
}

static void write_conditions(struct cspm_model *model, struct parts *parts)
{
    if (!model->used[CHANNEL_WAIT])
        return;
    fputs("\n-- w: who waits; r: who was woken and has not returned yet\n"
          "CONDITION(i, w, r) = wait?t!i -> CONDITION(i, union(w, {t}), r)\n"
          "    [] signal?t!i ->\n"
          "        (if empty(w) then CONDITION(i, w, r)\n"
          "         else (|~| u : w @ CONDITION(i, diff(w, {u}), union(r, {u}))))\n"
          "    [] broadcast?t!i -> CONDITION(i, {}, union(w, r))\n"
          "    [] woken?t:r!i -> CONDITION(i, w, diff(r, {t}))\n"
          "    [] spurious?t:union(w, r)!i -> CONDITION(i, diff(w, {t}), diff(r, {t}))\n"
          "CONDITIONS = ||| i : Conditions @ CONDITION(i, {}, {})\n",
          model->out);
    array_push(parts, "CONDITIONS");
}

uint32_t cspm_count_posts(const struct history *history, uint32_t semaphore)
{
    uint32_t posts = 0;
    for (uint32_t pos = 0; pos < history->count; pos++)
        posts += history->events[pos].op == EVENT_POST && history->events[pos].object == semaphore;
    return posts;
}

static void write_semaphores(struct cspm_model *model, struct parts *parts)
{
    const struct trace *trace = model->history->trace;
    uint32_t count = trace_count(trace, CLASS_SEMAPHORE);
    if (!count)
        return;
    fputs("\n-- n: its count; u: the highest that the trace's posts can bring\n"
          "SEMAPHORE(s, n, u) = (n < u & post?t!s -> SEMAPHORE(s, n + 1, u))\n"
          "    [] (n > 0 & semwait?t!s -> SEMAPHORE(s, n - 1, u))\n",
          model->out);
    if (model->used[CHANNEL_SEMFAIL])
        fputs("    [] (n == 0 & semfail?t!s -> SEMAPHORE(s, n, u))\n", model->out);
    fputs("SEMAPHORES = ", model->out);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t initial = trace_semaphore_initial(trace, i);
        fprintf(model->out, "%sSEMAPHORE(%s, %u, %u)", i ? " ||| " : "",
                cspm_name(&model->names, CLASS_SEMAPHORE, i), initial,
                initial + cspm_count_posts(model->history, i));
    }
    putc('\n', model->out);
    array_push(parts, "SEMAPHORES");
}

/* ||| t : {parties} @ CHANNEL.t.use_N -> SKIP */
static void write_round(struct cspm_model *model, const char *channel, uint32_t instance)
{
    bool *parties = NEW_ARRAY(bool, model->history->threads);
    for (uint32_t pos = 0; pos < model->history->count; pos++) {
        const struct event *event = &model->history->events[pos];
        if (event->op == EVENT_BARRIER_ENTER && event->other == instance)
            parties[event->thread] = true;
    }
    fputs("(||| t : ", model->out);
    cspm_write_set_of_threads(model, parties);
    fprintf(model->out, " @ %s.t.", channel);
    cspm_write_instance(model->out, instance);
    fputs(" -> SKIP)", model->out);
    free(parties);
}

static void write_uses_of(struct cspm_model *model, uint32_t barrier)
{
    const char *name = cspm_name(&model->names, CLASS_BARRIER, barrier);
    uint32_t instances = trace_barrier_instances(model->history->trace), uses = 0;
    for (uint32_t i = 0; i < instances; i++) {
        if (model->instance_barrier[i] != barrier)
            continue;
        fprintf(model->out, "USE_%u = ", i);
        write_round(model, "barrier_enter", i);
        fputs(" ;\n    (", model->out);
        write_round(model, "barrier_exit", i);
        fputs(" ; STOP)\n", model->out);
        uses++;
    }
    fprintf(model->out, "BARRIER_%s = (", name);
    const char *separator = "";
    for (uint32_t i = 0; i < instances; i++)
        if (model->instance_barrier[i] == barrier) {
            fprintf(model->out, "%sUSE_%u", separator, i);
            separator = " ||| ";
        }
    fputs(")", model->out);
    if (uses > 1) {
        fputs(" [| {| barrier_enter |} |]\n    (", model->out);
        for (uint32_t i = 0; i < instances; i++)
            if (model->instance_barrier[i] == barrier) {
                write_round(model, "barrier_enter", i);
                fputs(" ;\n     ", model->out);
            }
        fputs("STOP)", model->out);
    }
    putc('\n', model->out);
}

static void write_barriers(struct cspm_model *model, struct parts *parts)
{
    uint32_t count = trace_count(model->history->trace, CLASS_BARRIER);
    if (!count)
        return;
    fputs("\n-- every use of a barrier is a process; who enters a use comes after all who\n"
          "-- entered the one before\n",
          model->out);
    for (uint32_t barrier = 0; barrier < count; barrier++)
        write_uses_of(model, barrier);
    fputs("BARRIERS = ", model->out);
    for (uint32_t barrier = 0; barrier < count; barrier++)
        fprintf(model->out, "%sBARRIER_%s", barrier ? " ||| " : "",
                cspm_name(&model->names, CLASS_BARRIER, barrier));
    putc('\n', model->out);
    array_push(parts, "BARRIERS");
}

static void write_rest(struct cspm_model *model, struct parts *parts)
{
    if (model->used[CHANNEL_ONCE_BEGIN]) {
        fputs("\nONCE(i) = once_begin?t!i -> once_end.t.i -> ONCE_DONE(i)\n"
              "ONCE_DONE(i) = once_pass?t!i -> ONCE_DONE(i)\n"
              "ONCES = ||| i : Onces @ ONCE(i)\n",
              model->out);
        array_push(parts, "ONCES");
    }
    if (model->used[CHANNEL_LOAD]) {
        fputs("\n-- n: the number of the last write\n"
              "ATOMIC(v, n) = store?t!v?w -> ATOMIC(v, w)\n"
              "    [] load?t!v!n -> ATOMIC(v, n)\n"
              "    [] rmw?t!v!n?w -> ATOMIC(v, w)\n"
              "ATOMICS = ||| v : Atomics @ ATOMIC(v, 0)\n",
              model->out);
        array_push(parts, "ATOMICS");
    }
}

void cspm_write_objects(struct cspm_model *model)
{
    struct parts parts = {0};
    write_forks(model, &parts);
    write_mutexes(model, &parts);
    write_rwlocks(model, &parts);
    write_conditions(model, &parts);
    write_semaphores(model, &parts);
    write_barriers(model, &parts);
    write_rest(model, &parts);
    fputs("\nSYNC = ", model->out);
    for (size_t i = 0; i < parts.count; i++)
        fprintf(model->out, "%s%s", i ? " ||| " : "", parts.items[i]);
    fputs(parts.count ? "\n" : "STOP\n", model->out);
    array_free(&parts);
}
