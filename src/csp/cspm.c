/* SPDX-License-Identifier: MIT */
#include "csp/cspm.h"

#include "base/array.h"
#include "base/map.h"
#include "csp/cspm_model.h"
#include "model/semaphore_locks.h"

static const struct {
    const char *name, *type;
} channels[CHANNEL_COUNT] = {
    [CHANNEL_START] = {"start", NULL},
    [CHANNEL_END] = {"end", NULL},
    [CHANNEL_FORK] = {"fork", "Threads"},
    [CHANNEL_JOIN] = {"join", "Threads"},
    [CHANNEL_READ] = {"read", "Variables"},
    [CHANNEL_WRITE] = {"write", "Variables"},
    [CHANNEL_ATOMIC_READ] = {"atomic_read", "Variables"},
    [CHANNEL_ATOMIC_WRITE] = {"atomic_write", "Variables"},
    [CHANNEL_LOAD] = {"load", "Atomics"},
    [CHANNEL_STORE] = {"store", "Atomics"},
    [CHANNEL_RMW] = {"rmw", "Atomics"},
    [CHANNEL_LOCK] = {"lock", "Mutexes"},
    [CHANNEL_UNLOCK] = {"unlock", "Mutexes"},
    [CHANNEL_LOCKFAIL] = {"lockfail", "Mutexes"},
    [CHANNEL_RDLOCK] = {"rdlock", "RwLocks"},
    [CHANNEL_RDUNLOCK] = {"rdunlock", "RwLocks"},
    [CHANNEL_RDFAIL] = {"rdfail", "RwLocks"},
    [CHANNEL_WRLOCK] = {"wrlock", "RwLocks"},
    [CHANNEL_WRUNLOCK] = {"wrunlock", "RwLocks"},
    [CHANNEL_WRFAIL] = {"wrfail", "RwLocks"},
    [CHANNEL_WAIT] = {"wait", "Conditions"},
    [CHANNEL_WOKEN] = {"woken", "Conditions"},
    [CHANNEL_SPURIOUS] = {"spurious", "Conditions"},
    [CHANNEL_SIGNAL] = {"signal", "Conditions"},
    [CHANNEL_BROADCAST] = {"broadcast", "Conditions"},
    [CHANNEL_BARRIER_ENTER] = {"barrier_enter", "Barriers"},
    [CHANNEL_BARRIER_EXIT] = {"barrier_exit", "Barriers"},
    [CHANNEL_POST] = {"post", "Semaphores"},
    [CHANNEL_SEMWAIT] = {"semwait", "Semaphores"},
    [CHANNEL_SEMFAIL] = {"semfail", "Semaphores"},
    [CHANNEL_ONCE_BEGIN] = {"once_begin", "Onces"},
    [CHANNEL_ONCE_END] = {"once_end", "Onces"},
    [CHANNEL_ONCE_PASS] = {"once_pass", "Onces"},
    [CHANNEL_OPTIONAL] = {"optional", NULL},
    [CHANNEL_LAST_SIGNAL] = {"last_signal", "Conditions"},
    [CHANNEL_LAST_POST] = {"last_post", "Semaphores"},
};

const char *cspm_channel_name(enum cspm_channel channel)
{
    return channels[channel].name;
}

void cspm_write_instance(FILE *out, uint32_t instance)
{
    fprintf(out, "use_%u", instance);
}

static void find_shared(struct cspm_model *model)
{
    const struct history *history = model->history;
    uint32_t variables = trace_count(history->trace, CLASS_VARIABLE);
    uint32_t *first = memory_alloc(variables, sizeof *first);
    uint8_t *seen = NEW_ARRAY(uint8_t, variables); /* 1: two threads, 2: a write */
    memset(first, 0xff, variables * sizeof *first);
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (!op_in(event->op, OPS_ACCESS))
            continue;
        if (first[event->object] == UINT32_MAX)
            first[event->object] = event->thread;
        if (first[event->object] != event->thread)
            seen[event->object] |= 1;
        if (event_writes(event))
            seen[event->object] |= 2;
        if (op_in(event->op, OPS_ATOMIC))
            model->atomic[event->object] = true;
    }
    for (uint32_t i = 0; i < variables; i++)
        model->shared[i] = seen[i] == 3;
    free(first);
    free(seen);
}

static void find_last_help(struct cspm_model *model)
{
    const struct history *history = model->history;
    struct map later = {0};
    for (uint32_t pos = history->count; pos-- > 0;) {
        const struct event *event = &history->events[pos];
        bool post = event->op == EVENT_POST;
        if (!op_in(event->op,
                   OP_BIT(EVENT_POST) | OP_BIT(EVENT_SIGNAL) | OP_BIT(EVENT_BROADCAST)) ||
            (post && model->semaphore_locks && model->semaphore_locks[event->object]))
            continue;
        map_at(&later, map_pair(event->object << 1 | post, event->thread), &model->last_help[pos]);
    }
    map_free(&later);
}

static void find_rest(struct cspm_model *model)
{
    const struct history *history = model->history;
    uint32_t *writes = NEW_ARRAY(uint32_t, trace_count(history->trace, CLASS_VARIABLE));
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (op_in(event->op, OP_BIT(EVENT_ACQUIRE_READ) | OP_BIT(EVENT_ACQUIRE_WRITE)))
            model->rwlock[event->object] = true;
        if (event->op == EVENT_FORK)
            model->forked[event->object] = true;
        if (event->op == EVENT_JOIN)
            model->joined[event->object] = true;
        if (event->op == EVENT_BARRIER_ENTER)
            model->instance_barrier[event->other] = event->object;
        if (!event_writes(event) || !model->atomic[event->object])
            continue;
        model->write_number[pos] = ++writes[event->object];
        if (writes[event->object] > model->most_writes)
            model->most_writes = writes[event->object];
    }
    free(writes);
}

/* A process that uses one channel of a kind uses the others, too. */
static void complete_channels(struct cspm_model *model)
{
    static const enum cspm_channel together[][5] = {
        {CHANNEL_FORK, CHANNEL_START, CHANNEL_START, CHANNEL_START, CHANNEL_START},
        {CHANNEL_READ, CHANNEL_WRITE, CHANNEL_WRITE, CHANNEL_WRITE, CHANNEL_WRITE},
        {CHANNEL_ATOMIC_READ, CHANNEL_ATOMIC_WRITE, CHANNEL_ATOMIC_WRITE, CHANNEL_ATOMIC_WRITE,
         CHANNEL_ATOMIC_WRITE},
        {CHANNEL_LOAD, CHANNEL_STORE, CHANNEL_RMW, CHANNEL_RMW, CHANNEL_RMW},
        {CHANNEL_LOCK, CHANNEL_UNLOCK, CHANNEL_UNLOCK, CHANNEL_UNLOCK, CHANNEL_UNLOCK},
        {CHANNEL_RDLOCK, CHANNEL_RDUNLOCK, CHANNEL_WRLOCK, CHANNEL_WRUNLOCK, CHANNEL_WRUNLOCK},
        {CHANNEL_WAIT, CHANNEL_WOKEN, CHANNEL_SPURIOUS, CHANNEL_SIGNAL, CHANNEL_BROADCAST},
        {CHANNEL_BARRIER_ENTER, CHANNEL_BARRIER_EXIT, CHANNEL_BARRIER_EXIT, CHANNEL_BARRIER_EXIT,
         CHANNEL_BARRIER_EXIT},
        {CHANNEL_POST, CHANNEL_SEMWAIT, CHANNEL_SEMWAIT, CHANNEL_SEMWAIT, CHANNEL_SEMWAIT},
        {CHANNEL_ONCE_BEGIN, CHANNEL_ONCE_END, CHANNEL_ONCE_PASS, CHANNEL_ONCE_PASS,
         CHANNEL_ONCE_PASS},
    };
    model->used[CHANNEL_LOCK] |= model->used[CHANNEL_LOCKFAIL];
    model->used[CHANNEL_RDLOCK] |= model->used[CHANNEL_RDFAIL] || model->used[CHANNEL_WRFAIL];
    model->used[CHANNEL_POST] |= model->used[CHANNEL_SEMFAIL];
    for (size_t i = 0; i < sizeof together / sizeof *together; i++) {
        bool used = false;
        for (int k = 0; k < 5; k++)
            used |= model->used[together[i][k]];
        for (int k = 0; k < 5; k++)
            model->used[together[i][k]] = used;
    }
    bool accesses = model->used[CHANNEL_READ] || model->used[CHANNEL_ATOMIC_READ];
    model->used[CHANNEL_READ] = model->used[CHANNEL_WRITE] = accesses;
}

static void write_datatype(struct cspm_model *model, const char *name, enum object_class class,
                           const bool *members, bool wanted)
{
    const char *separator = " = ";
    bool any = false;
    for (uint32_t id = 0; id < trace_count(model->history->trace, class); id++) {
        if (members && members[id] != wanted)
            continue;
        if (!any)
            fprintf(model->out, "datatype %s", name);
        fprintf(model->out, "%s%s", separator, cspm_name(&model->names, class, id));
        separator = " | ";
        any = true;
    }
    if (any)
        putc('\n', model->out);
}

static void write_declarations(struct cspm_model *model)
{
    FILE *out = model->out;
    write_datatype(model, "Threads", CLASS_THREAD, NULL, true);
    bool *named = NEW_ARRAY(bool, trace_count(model->history->trace, CLASS_VARIABLE));
    for (uint32_t id = 0; id < trace_count(model->history->trace, CLASS_VARIABLE); id++)
        named[id] = model->shared[id] || model->atomic[id];
    write_datatype(model, "Variables", CLASS_VARIABLE, named, true);
    free(named);
    write_datatype(model, "Mutexes", CLASS_LOCK, model->rwlock, false);
    write_datatype(model, "RwLocks", CLASS_LOCK, model->rwlock, true);
    write_datatype(model, "Conditions", CLASS_CONDITION, NULL, true);
    write_datatype(model, "Semaphores", CLASS_SEMAPHORE, NULL, true);
    write_datatype(model, "Onces", CLASS_ONCE, NULL, true);
    uint32_t instances = trace_barrier_instances(model->history->trace);
    for (uint32_t i = 0; i < instances; i++) {
        fputs(i ? " | " : "datatype Barriers = ", out);
        cspm_write_instance(out, i);
    }
    if (instances)
        fputs(model->plain ? "\n" : " | no_use\n", out);
}

static void write_atomics(struct cspm_model *model)
{
    const char *separator = "Atomics = {";
    for (uint32_t id = 0; id < trace_count(model->history->trace, CLASS_VARIABLE); id++)
        if (model->atomic[id]) {
            fprintf(model->out, "%s%s", separator, cspm_name(&model->names, CLASS_VARIABLE, id));
            separator = ", ";
        }
    fputs("}\n", model->out);
}

static void write_channels(struct cspm_model *model)
{
    FILE *out = model->out;
    for (unsigned i = 0; i < CHANNEL_COUNT; i++) {
        if (!model->used[i])
            continue;
        fprintf(out, "channel %s : Threads", channels[i].name);
        if (channels[i].type)
            fprintf(out, ".%s", channels[i].type);
        if (i == CHANNEL_LOAD || i == CHANNEL_STORE || i == CHANNEL_RMW)
            fprintf(out, ".{0..%u}", model->most_writes);
        if (i == CHANNEL_RMW)
            fprintf(out, ".{0..%u}", model->most_writes);
        putc('\n', out);
    }
    fputs("channel race, live, finished\n\nsync_set = {", out);
    const char *separator = "| ";
    for (unsigned i = 0; i < CHANNEL_COUNT; i++) {
        if (!model->used[i] || (i >= CHANNEL_READ && i <= CHANNEL_ATOMIC_WRITE) ||
            i >= CHANNEL_OPTIONAL)
            continue;
        fprintf(out, "%s%s", separator, channels[i].name);
        separator = ", ";
    }
    fputs(separator[0] == ',' ? " |}\n" : "}\n", out);
}

static void write_program(struct cspm_model *model)
{
    FILE *out = model->out;
    fputs("\nT_INTER = ", out);
    for (uint32_t thread = 0; thread < model->history->threads; thread++)
        fprintf(out, "%sTHREAD_%s", thread ? " ||| " : "",
                cspm_name(&model->names, CLASS_THREAD, thread));
    fputs("\nPROGRAM = (T_INTER ; finished -> SKIP)\n"
          "    [| union(sync_set, {finished}) |] (SYNC /\\ finished -> SKIP)\n",
          out);
}

static void write_model(struct cspm_model *model)
{
    FILE *out = model->out;
    fputs("-- A trace as CSP processes, one a thread and one a synchronisation object. An\n"
          "-- assertion that fails is an error that some other schedule of the run can hit; its\n"
          "-- counterexample is that schedule.\n\n",
          out);
    write_declarations(model);
    if (model->used[CHANNEL_LOAD])
        write_atomics(model);
    write_channels(model);
    putc('\n', out);
    for (uint32_t thread = 0; thread < model->history->threads; thread++)
        cspm_write_thread(model, thread);
    cspm_write_objects(model);
    write_program(model);
    cspm_write_races(model);
    fputs("\nLIVE = live -> LIVE\n", out);
    if (model->plain)
        fputs("assert LIVE [F= (PROGRAM \\ diff(Events, {live})) ; LIVE\n", out);
    else
        cspm_write_stuck(model);
}

void cspm_write(FILE *out, const struct history *history, bool per_pair)
{
    const struct trace *trace = history->trace;
    struct cspm_model model = {
        .out = out,
        .history = history,
        .per_pair = per_pair,
        .shared = NEW_ARRAY(bool, trace_count(trace, CLASS_VARIABLE)),
        .atomic = NEW_ARRAY(bool, trace_count(trace, CLASS_VARIABLE)),
        .rwlock = NEW_ARRAY(bool, trace_count(trace, CLASS_LOCK)),
        .last_help = NEW_ARRAY(bool, history->count),
        .semaphore_locks = semaphore_locks(history),
        .forked = NEW_ARRAY(bool, history->threads),
        .joined = NEW_ARRAY(bool, history->threads),
        .write_number = NEW_ARRAY(uint32_t, history->count),
        .reads_from = history->reads_from,
        .instance_barrier = NEW_ARRAY(uint32_t, trace_barrier_instances(trace)),
    };
    cspm_names_make(&model.names, trace);
    find_shared(&model);
    find_rest(&model);
    find_last_help(&model);
    cspm_find_plain(&model);
    cspm_scan_threads(&model);
    complete_channels(&model);
    write_model(&model);
    cspm_names_free(&model.names);
    free(model.shared);
    free(model.atomic);
    free(model.rwlock);
    free(model.forked);
    free(model.joined);
    free(model.last_help);
    free(model.semaphore_locks);
    free(model.write_number);
    free(model.instance_barrier);
}
