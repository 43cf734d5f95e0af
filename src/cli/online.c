/* SPDX-License-Identifier: MIT */
#include "cli/online.h"

#include "base/array.h"
#include "cli/predict.h"
#include "target/processes.h"
#include "report/text.h"
#include "trace/recorded/binary_follow.h"
#include "trace/finding_id.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

/* One recorded process. */
struct following {
    char *directory;
    struct binary_follow *follow;
    uint64_t bytes, limit; /* of the last cut */
    double ended, took;    /* the last analysis */
};

struct online {
    const struct options *options;
    const char *directory;
    struct processes_followed ARRAY_OF(struct following) processes;
    struct interner *said; /* ids of findings */
    uint32_t said_early;   /* before the program ended */
    double begun;
    bool started;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool over; /* the program has ended; guarded by the mutex */
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

struct online *online_create(const struct options *options, const char *directory)
{
    struct online *online = NEW(struct online);
    pthread_condattr_t monotonic;
    online->options = options;
    online->directory = directory;
    online->said = interner_create();
    pthread_mutex_init(&online->mutex, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&online->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return online;
}

void online_destroy(struct online *online)
{
    for (size_t i = 0; i < online->processes.count; i++) {
        binary_follow_destroy(online->processes.items[i].follow);
        free(online->processes.items[i].directory);
    }
    array_free(&online->processes);
    interner_destroy(online->said);
    pthread_mutex_destroy(&online->mutex);
    pthread_cond_destroy(&online->changed);
    free(online);
}

/* --- findings ------------------------------------------------------------------ */

static void say_event(FILE *out, const struct trace *trace, const struct finding_event *event)
{
    fputs("    thread ", out);
    report_safe_text(out, trace_name(trace, CLASS_THREAD, event->thread));
    fprintf(out, "  %s  at ", report_op_text(event->op));
    report_safe_text(out, trace_location(trace, event->location));
    putc('\n', out);
}

/* Without positions and schedule: those are of a cut, not of the trace. */
static void say(const struct online *online, const struct trace *trace,
                const struct finding *finding, const char *id)
{
    flockfile(stderr);
    fprintf(stderr, "preplay: %.2f s: %s %s", now() - online->begun,
            finding_kind_text(finding->kind), id);
    if (finding->object_class != CLASS_NONE) {
        fputs(" on ", stderr);
        report_name(stderr, trace, finding->object_class, finding->object);
    }
    fprintf(stderr, ", %sby %s\n", finding->verdict == VERDICT_OBSERVED ? "observed " : "",
            finding->engine);
    for (uint32_t i = 0; i < finding->event_count; i++)
        say_event(stderr, trace, &finding->events[i]);
    if (finding->note) {
        fputs("    ", stderr);
        report_safe_text(stderr, finding->note);
        putc('\n', stderr);
    }
    funlockfile(stderr);
}

/* How many findings there are; those that are new are said. */
static long say_new(struct online *online, const struct prediction *prediction)
{
    long count = 0;
    for (size_t i = 0; i < prediction->driver.count; i++) {
        const struct findings *findings = prediction->driver.runs[i].findings;
        count += (long)findings->count;
        for (size_t k = 0; k < findings->count; k++) {
            char id[FINDING_ID_SIZE];
            finding_id(&findings->items[k], prediction->trace, id);
            uint32_t known = intern_count(online->said);
            intern(online->said, id, strlen(id));
            if (intern_count(online->said) > known)
                say(online, prediction->trace, &findings->items[k], id);
        }
    }
    return count;
}

/* --- while it runs ----------------------------------------------------------------- */

/* Worth another analysis? Not for a few events more, unless that is cheap. */
static bool is_due(const struct following *following, uint64_t bytes)
{
    double since = now() - following->ended;
    if (bytes <= following->bytes)
        return false;
    bool grown = bytes - following->bytes > following->bytes / 4;
    return since > following->took * (grown ? 1 : 10);
}

static void analyse_cut(struct online *online, struct following *following)
{
    struct error ignored = {0}; /* the whole trace will tell */
    struct binary_cut cut;
    double start = now();
    bool good = binary_follow_cut(following->follow, &cut);
    if (good && (cut.limit > following->limit || cut.bytes > following->bytes * 5 / 4)) {
        struct prediction prediction;
        struct trace *trace = binary_open_cut(following->directory, &cut, &ignored);
        if (prediction_run_on(&prediction, online->options, trace, ONLINE_ENGINES, &ignored) == 0)
            say_new(online, &prediction);
        prediction_free(&prediction);
        following->limit = cut.limit;
        following->bytes = cut.bytes;
    }
    binary_cut_free(&cut);
    following->ended = now();
    following->took = following->ended - start;
}

static void notice(void *context, const char *directory)
{
    struct online *online = context;
    for (size_t i = 0; i < online->processes.count; i++)
        if (strcmp(online->processes.items[i].directory, directory) == 0)
            return;
    struct following following = {
        .directory = memory_copy(directory, strlen(directory) + 1),
        .follow = binary_follow_create(directory),
    };
    array_push(&online->processes, following);
}

/* Waits; false once the program has ended. */
static bool wait_a_while(struct online *online, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    double nanoseconds = (double)until.tv_nsec + seconds * 1e9;
    until.tv_sec += (time_t)(nanoseconds / 1e9);
    until.tv_nsec = (long)(nanoseconds - (double)(time_t)(nanoseconds / 1e9) * 1e9);
    pthread_mutex_lock(&online->mutex);
    while (!online->over && pthread_cond_timedwait(&online->changed, &online->mutex, &until) == 0)
        ;
    bool goes_on = !online->over;
    pthread_mutex_unlock(&online->mutex);
    return goes_on;
}

static void *follow(void *argument)
{
    struct online *online = argument;
    double took = 0;
    setpriority(PRIO_PROCESS, 0, 19); /* of this thread alone */
    while (wait_a_while(online, took * 10 > 0.02 ? took * 10 : 0.02)) {
        double start = now(), analysing = 0;
        processes_each(online->directory, notice, online);
        for (size_t i = 0; i < online->processes.count && wait_a_while(online, 0); i++) {
            struct following *following = &online->processes.items[i];
            if (!is_due(following, binary_follow_look(following->follow)))
                continue;
            analyse_cut(online, following);
            analysing += following->took;
        }
        took = now() - start - analysing;
    }
    return NULL;
}

void online_start(void *argument)
{
    struct online *online = argument;
    online->begun = now();
    online->started = pthread_create(&online->thread, NULL, follow, online) == 0;
}

/* --- afterwards --------------------------------------------------------------------- */

static void stop(struct online *online)
{
    if (!online->started)
        return;
    pthread_mutex_lock(&online->mutex);
    online->over = true;
    pthread_cond_signal(&online->changed);
    pthread_mutex_unlock(&online->mutex);
    pthread_join(online->thread, NULL);
    online->started = false;
}

static long analyse_whole(struct online *online, const char *directory, struct error *error)
{
    struct prediction prediction;
    long count = -1;
    if (prediction_run(&prediction, online->options, directory, ONLINE_ENGINES, error) == 0) {
        count = say_new(online, &prediction);
        if (prediction_keep(&prediction, NULL, error))
            count = -1;
    }
    prediction_free(&prediction);
    return count;
}

long online_finish(struct online *online, const struct recording *recording, struct error *error)
{
    struct processes processes = {0};
    long total = 0;
    stop(online);
    online->said_early = intern_count(online->said);
    processes_find(&processes, online->directory, recording->process);
    for (size_t i = 0; i < processes.count && total >= 0; i++) {
        long count = analyse_whole(online, processes.items[i], error);
        total = count < 0 ? -1 : total + count;
    }
    if (total >= 0)
        fprintf(stderr, "preplay: %ld finding%s, %u of them while the program ran\n", total,
                total == 1 ? "" : "s", online->said_early);
    processes_free(&processes);
    return total;
}
