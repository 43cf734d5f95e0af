/* SPDX-License-Identifier: MIT */
/* The assertion that no thread is stuck because of others, as the engine means it
 * (model/blocking.h). That the program stops is not enough: it may have come to a try or an
 * atomic load that would end otherwise there, and a lock may be held by who has ended.
 *
 * So at any time the run may be frozen. From then on no object changes, and a thread makes one
 * more step, its next one, if that does not wait for a thread that is stuck; by `free` it tells
 * so, and the objects forget what they kept it for. Whoever waits for all of some threads
 * (the holders of a lock, the parties of a barrier, a thread that it joins) may step when all of
 * them are free, whoever waits for one of some (those who have a signal or a post left) when one of
 * them is. Threads that have ended, or have not been started, or stand before what never waits
 * are free. A deadlock is a frozen state in which not all threads become free.
 *
 * Where a program that stops always is a deadlock, the papers' assertion is written instead. */
#include "csp/cspm_stuck.h"

/* What may be refused, and waits for nobody, or for who may have ended. */
#define OPS_NOT_PLAIN                                                                              \
    (OPS_BOUND | OP_BIT(EVENT_WAIT_BEGIN) | OP_BIT(EVENT_WAIT_END) | OP_BIT(EVENT_SIGNAL) |        \
     OP_BIT(EVENT_BROADCAST) | OP_BIT(EVENT_BARRIER_ENTER) | OP_BIT(EVENT_BARRIER_EXIT) |          \
     OP_BIT(EVENT_POST) | OP_BIT(EVENT_SEM_WAIT) | OP_BIT(EVENT_ONCE_BEGIN) |                      \
     OP_BIT(EVENT_ONCE_END) | OP_BIT(EVENT_ONCE_PASS))

/* Is it sure, when its thread comes to it, that the joined one was forked? */
static bool is_late_join(const struct history *history, const struct event *join)
{
    uint32_t fork = history->fork_of[join->object];
    return fork == POS_NONE || history->events[fork].thread == join->thread;
}

static bool is_plain(const struct history *history, const struct event *event)
{
    return !op_in(event->op, OPS_NOT_PLAIN) && !(event->flags & (EVENT_TRY | EVENT_FAILED)) &&
           !(event->op == EVENT_JOIN && !is_late_join(history, event));
}

void cspm_find_plain(struct cspm_model *model)
{
    const struct history *history = model->history;
    uint32_t held = 0;
    model->plain = true;
    for (uint32_t pos = 0; pos < history->count && model->plain; pos++) {
        const struct event *event = &history->events[pos];
        model->plain = is_plain(history, event);
        held += event_acquires(event);
        held -= event_releases(event);
    }
    model->plain = model->plain && !held;
}

/* The set of all events of a thread, and of what it says of itself. */
static void write_thread_set(const struct cspm_model *model)
{
    fputs("at_set = {| done", model->out);
    for (unsigned i = 0; i < CHANNEL_COUNT; i++)
        if (model->used[i])
            fprintf(model->out, ", %s", cspm_channel_name(i));
    fputs(" |}\n", model->out);
}

/* CHANNEL.t?any -> NEXT(t), for every channel. */
static void write_steps(const struct cspm_model *model, const char *next)
{
    const char *separator = "    ";
    for (unsigned i = 0; i < CHANNEL_COUNT; i++) {
        bool numbers = i == CHANNEL_LOAD || i == CHANNEL_STORE || i == CHANNEL_RMW;
        bool alone = i == CHANNEL_START || i == CHANNEL_END;
        if (!model->used[i] || i == CHANNEL_OPTIONAL)
            continue;
        fprintf(model->out, "%s%s.t%s%s%s -> %s\n", separator, cspm_channel_name(i),
                alone ? "" : "?any", numbers ? "?old" : "", i == CHANNEL_RMW ? "?new" : "", next);
        separator = "    [] ";
    }
    fprintf(model->out, "%sfreeze -> ", separator);
}

static void write_limits(const struct cspm_model *model)
{
    FILE *out = model->out;
    fputs("\n-- what a thread may do: after freeze one more step\nAT_LIMIT(t) =\n", out);
    write_steps(model, "AT_LIMIT(t)");
    fputs("AT_LAST(t)\n    [] done.t -> freeze -> free.t -> STOP\n", out);
    if (model->used[CHANNEL_OPTIONAL]) {
        fputs("    [] optional.t -> AT_OPTION(t)\nAT_OPTION(t) =\n", out);
        write_steps(model, "AT_LIMIT(t)");
        fputs("free.t -> STOP\n", out);
    }
    fputs("AT_LAST(t) =\n", out);
    for (unsigned i = 0; i < CHANNEL_COUNT; i++) {
        bool numbers = i == CHANNEL_LOAD || i == CHANNEL_STORE || i == CHANNEL_RMW;
        bool alone = i == CHANNEL_START || i == CHANNEL_END || i == CHANNEL_OPTIONAL;
        if (model->used[i])
            fprintf(out, "    %s.t%s%s%s -> free.t -> STOP []\n", cspm_channel_name(i),
                    alone ? "" : "?any", numbers ? "?old" : "", i == CHANNEL_RMW ? "?new" : "");
    }
    fputs("    done.t -> free.t -> STOP\n", out);
    if (model->used[CHANNEL_START])
        fputs("AT_FORKED(t) = start.t -> AT_LIMIT(t) [] freeze -> free.t -> STOP\n", out);
}

static void write_threads(const struct cspm_model *model)
{
    FILE *out = model->out;
    fputs("AT_THREADS =\n", out);
    for (uint32_t thread = 0; thread < model->history->threads; thread++) {
        const char *name = cspm_name(&model->names, CLASS_THREAD, thread);
        fprintf(out, "    %s((THREAD_%s ; done.%s -> STOP) [| at_set |] AT_%s(%s))\n",
                thread ? "[| {freeze} |] " : "", name, name,
                model->forked[thread] ? "FORKED" : "LIMIT", name);
    }
}

void cspm_write_stuck(struct cspm_model *model)
{
    FILE *out = model->out;
    fputs("\n-- No thread is stuck because of others. At any time the run may be frozen; those\n"
          "-- threads tell that they are free whose next step waits for none that is not. In a\n"
          "-- counterexample the others are the deadlock.\n"
          "channel done, free : Threads\nchannel freeze\ngate = {| freeze, free |}\n",
          out);
    write_thread_set(model);
    write_limits(model);
    write_threads(model);
    cspm_write_frozen_objects(model);
    fputs("\nAT_PROGRAM = AT_THREADS [| union(sync_set, union(said_set, gate)) |] AT_SYNC\n"
          "AT_END = freeze -> ((||| t : Threads @ free.t -> SKIP) ; LIVE)\n"
          "assert LIVE [F= (AT_PROGRAM [| gate |] AT_END) \\ diff(Events, {live})\n",
          out);
}
