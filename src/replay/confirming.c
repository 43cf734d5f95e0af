/* SPDX-License-Identifier: MIT */
#include "replay/confirming.h"

#include "base/array.h"
#include "base/interruption.h"
#include "replay/replaying.h"
#include "target/sandbox.h"
#include "target/side_by_side.h"
#include "trace/turns.h"
#include "trace/finding_id.h"
#include "base/map.h"
#include "base/memory.h"
#include "replay/confirm_ahead.h"
#include "replay/confirm_jobs.h"
#include "replay/foretold.h"
#include "replay/settling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A sound prediction that did not show gets another chance: what its witness does not
 * order (input, timing) may have differed. */
enum { ATTEMPTS = 3 };

struct confirmation {
    struct confirming *options;
    struct replay_program program;
    struct settling settling;
    struct confirm_jobs jobs;
    struct confirm_ahead ahead;
    struct map explained; /* causes of which it is known how the program fails by them */
    struct map failures;  /* hashes of failures: the second one of a kind is no news */
    struct foretold foretold;
    double started;
    uint32_t fruitless;     /* tries that showed nothing */
    struct settled settled; /* large: not on the stack */
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* --- the budget -------------------------------------------------------------------- */

static double budget_of(const struct confirming *confirming, const struct replay_program *program)
{
    double own = program->seconds * CONFIRMING_TIMES;
    if (confirming->budget > 0)
        return confirming->budget;
    return own > CONFIRMING_SECONDS ? own : CONFIRMING_SECONDS;
}

/* A budget of the user's is for everything; ours is for what comes to nothing. */
static double seconds_left(const struct confirmation *self)
{
    const struct confirming *options = self->options;
    double spent = options->budget > 0 ? now() - self->started : options->fruitless;
    return options->budget_was - options->spent - spent;
}

/* A candidate that would take as long as those before it, and longer than is left, is not begun;
 * unless the user has said what may be spent. */
static bool is_spent(const struct confirmation *self, const struct confirm_job *job)
{
    const struct confirming *options = self->options;
    double usual = self->fruitless ? options->fruitless / self->fruitless : 0;
    double needed = options->budget > 0 || confirm_is_sound(job->finding) ? 0 : usual;
    return options->replays >= options->most || seconds_left(self) <= needed;
}

/* How long the next replay may take; 0: the standard. What is left is for its beginning and end,
 * too. */
static double limit(const struct confirmation *self)
{
    double left = seconds_left(self) * 0.9, each = self->options->timeout;
    if (each <= 0)
        return left < replay_program_seconds(&self->program) ? left : 0;
    return left < each ? left : each;
}

static void show_progress(const struct confirmation *self, const struct confirm_job *current)
{
    struct confirming_progress progress = {.total = self->jobs.count,
                                           .left = seconds_left(self),
                                           .current = current ? current->id : NULL};
    if (!self->options->progress)
        return;
    for (size_t i = 0; i < self->jobs.count; i++) {
        progress.settled += self->jobs.items[i].settled;
        progress.confirmed += finding_happened(self->jobs.items[i].finding);
    }
    self->options->progress(self->options->progress_context, &progress);
}

/* --- what a replay tells about others --------------------------------------------- */

static void note_beside(struct finding *finding, const char *id)
{
    if (!finding->beside[0])
        snprintf(finding->beside, sizeof finding->beside, "%s", id);
}

/* Seen in both runs of the schedule that is kept: its own replay could show no more. Seen in one:
 * it may yet have a schedule of its own that shows it each time. */
static void settle_seen(struct confirmation *self, const struct confirm_job *replayed)
{
    const struct settled *settled = &self->settled;
    bool kept = settled->verdict == VERDICT_CONFIRMED || settled->verdict == VERDICT_SEEN_ONCE;
    for (uint32_t i = 0; i < settled->seen_count; i++)
        for (size_t k = 0; k < self->jobs.count; k++) {
            struct confirm_job *job = &self->jobs.items[k];
            char text[96];
            if (!kept || job == replayed || strcmp(job->id, settled->seen[i]) != 0)
                continue;
            note_beside(job->finding, replayed->id);
            note_beside(replayed->finding, job->id);
            if (job->settled || finding_happened(job->finding))
                continue;
            snprintf(text, sizeof text, "it happened while %s was replayed", replayed->id);
            bool twice = settled->seen_times[i] > 1;
            finding_settle(job->finding, twice ? VERDICT_CONFIRMED : VERDICT_SEEN_ONCE, text);
            memcpy(job->finding->via, replayed->id, sizeof replayed->id);
            job->settled = twice;
        }
}

/* Another engine's finding of the same error. */
static void settle_same(struct confirmation *self, const struct confirm_job *replayed)
{
    for (size_t i = 0; i < self->jobs.count; i++) {
        struct confirm_job *job = &self->jobs.items[i];
        if (job == replayed || job->settled || strcmp(job->id, replayed->id) != 0)
            continue;
        settled_apply(&self->settled, job->finding);
        job->settled = true;
    }
}

/* --- one finding --------------------------------------------------------------------- */

/* The same failure, found on the way to something else, is one finding. */
static bool is_news(struct confirmation *self)
{
    bool added = true;
    const struct settled *settled = &self->settled;
    uint64_t hash = 0;
    for (const char *at = settled->reason; *at; at++)
        hash = map_mix(hash * 31 + (unsigned char)*at);
    if (settled->failed)
        map_at(&self->failures, hash >> 1, &added);
    return added;
}

static void apply(struct confirmation *self, struct confirm_job *job)
{
    struct settled *settled = &self->settled;
    bool happened = settled->verdict == VERDICT_CONFIRMED || settled->verdict == VERDICT_SEEN_ONCE;
    bool was_seen = job->finding->verdict == VERDICT_SEEN_ONCE;
    if (!is_news(self))
        finding_settle(job->finding, VERDICT_DIVERGED, settled->reason);
    else if (happened || !was_seen) {
        job->finding->via[0] = 0;
        settled_apply(settled, job->finding);
    }
    if (consequence_failure(&job->finding->consequence))
        map_at(&self->explained, job->cause, NULL);
    job->settled = happened;
}

/* --- what is known beforehand --------------------------------------------------------- */

static void learn(struct confirmation *self, const struct confirm_job *job)
{
    const struct settled *settled = &self->settled;
    if (settled->left && !settled->reached && !settled->failed)
        foretold_learn(&self->foretold, self->options->history, job->finding, settled->left_thread,
                       settled->left_index);
}

/* Whether it need not be replayed, or not now. */
static bool is_foretold(struct confirmation *self, struct confirm_job *job)
{
    switch (foretold_ask(&self->foretold, self->options->history, job->finding)) {
    case FORETOLD_LEFT:
        finding_settle(job->finding, job->finding->verdict,
                       "not replayed: a thread would leave the schedule, as in the replay of "
                       "another one with the same reads of other values");
        self->options->foretold++;
        job->settled = true;
        return true;
    case FORETOLD_DOUBTFUL:
        job->put_off = !job->put_off;
        return job->put_off;
    default:
        return false;
    }
}

/* --- side by side --------------------------------------------------------------------- */

static bool consequences_wanted(const struct confirmation *self, const struct confirm_job *job)
{
    return !map_find(&self->explained, job->cause);
}

static size_t lanes(const struct confirmation *self)
{
    const struct confirming *options = self->options;
    uint64_t left = options->most - options->replays;
    if (!self->program.sandbox || !sandbox_beside_others(self->program.sandbox))
        return 1;
    size_t most = options->lanes ? options->lanes : side_by_side_free();
    most = most < CONFIRM_AHEAD_MOST ? most : CONFIRM_AHEAD_MOST;
    return most < left ? most : (size_t)left;
}

/* What is likely to be settled by one before it waits for that. */
static bool may_go_ahead(const struct confirmation *self, const struct confirm_job *job)
{
    if (job->settled || job->put_off)
        return false;
    for (size_t i = 0; i < self->ahead.count; i++)
        if (self->ahead.runs[i].job && self->ahead.runs[i].job->cause == job->cause)
            return false;
    return foretold_ask(&self->foretold, self->options->history, job->finding) == FORETOLD_NOTHING;
}

/* Runs `job` and those that come next, at once; at the first attempt all are alike. */
static void run_ahead(struct confirmation *self, const struct confirm_job *job)
{
    const struct confirm_job *end = self->jobs.items + self->jobs.count;
    size_t most = lanes(self);
    confirm_ahead_drop(&self->ahead);
    confirm_ahead_add(&self->ahead, job, consequences_wanted(self, job));
    for (const struct confirm_job *next = job + 1; next < end && self->ahead.count < most; next++)
        if (may_go_ahead(self, next))
            confirm_ahead_add(&self->ahead, next, consequences_wanted(self, next));
    if (self->ahead.count < 2) {
        self->ahead.count = 0;
        return;
    }
    if (self->options->at_once < self->ahead.count)
        self->options->at_once = (uint32_t)self->ahead.count;
    confirm_ahead_make(&self->ahead, &self->settling);
}

static void count_dropped(struct confirmation *self)
{
    struct confirming *options = self->options;
    options->replays += self->ahead.dropped;
    options->seconds += self->ahead.dropped_seconds;
    options->fruitless += self->ahead.dropped_seconds;
    self->ahead.dropped = 0;
    self->ahead.dropped_seconds = 0;
}

static int replay(struct confirmation *self, const struct confirm_job *job,
                  enum schedule_detail detail, double *took, struct error *error)
{
    bool first = detail == SCHEDULE_NEEDED, consequences = consequences_wanted(self, job);
    bool known = first && confirm_ahead_take(&self->ahead, job, consequences, &self->settled, took);
    if (first && !known) {
        run_ahead(self, job);
        known = confirm_ahead_take(&self->ahead, job, consequences, &self->settled, took);
    }
    count_dropped(self);
    if (known)
        return 0;
    if (interruption_asked()) {
        self->settled = (struct settled){.interrupted = true};
        return 0;
    }
    double begun = now();
    self->settling.consequences = consequences;
    int result = settling_try(&self->settling, job->finding, detail, &self->settled, error);
    *took = now() - begun;
    return result;
}

/* --- one finding, again and again ------------------------------------------------------ */

static bool try_once(struct confirmation *self, struct confirm_job *job,
                     enum schedule_detail detail)
{
    struct confirming *options = self->options;
    struct error error = {0};
    self->settling.timeout = limit(self);
    show_progress(self, job);
    double took = 0;
    int result = replay(self, job, detail, &took, &error);
    options->replays += self->settled.runs;
    options->seconds += took;
    if (!self->settled.reached && !self->settled.failed) {
        options->fruitless += took;
        self->fruitless++;
    }
    if (result) {
        finding_settle(job->finding, job->finding->verdict, error.text);
        job->settled = true;
        return true;
    }
    options->interrupted |= self->settled.interrupted;
    if (options->interrupted)
        return false;
    apply(self, job);
    learn(self, job);
    settle_seen(self, job);
    if (job->settled)
        settle_same(self, job);
    return true;
}

/* False if the budget is spent, or the user has had enough. */
static bool settle(struct confirmation *self, struct confirm_job *job)
{
    /* What is likely to do, then less, then more. */
    static const enum schedule_detail details[ATTEMPTS] = {SCHEDULE_NEEDED, SCHEDULE_PLAIN,
                                                           SCHEDULE_FINE};
    int attempts = confirm_is_sound(job->finding) ? ATTEMPTS : 1;
    for (int i = 0; i < attempts && !job->settled; i++) {
        if (is_spent(self, job)) {
            job->settled = i > 0;
            return i > 0;
        }
        if (!try_once(self, job, details[i]))
            return false;
        if (self->settled.harmless)
            break;
    }
    job->settled = true;
    return true;
}

static bool keep_apart(struct confirming *confirming, struct replay_program *program,
                       const char *path)
{
    struct error reason = {0};
    if (replay_program_keep_apart(program, path, confirming->in_place, &reason) == 0) {
        snprintf(confirming->note, sizeof confirming->note, "%s", sandbox_note(program->sandbox));
        return true;
    }
    snprintf(confirming->note, sizeof confirming->note, "Nothing was replayed: %.480s",
             reason.text);
    return false;
}

/* The second time, those that were put off. */
static void settle_all(struct confirmation *self)
{
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < self->jobs.count; i++) {
            struct confirm_job *job = &self->jobs.items[i];
            if (self->options->interrupted || interruption_asked() || is_spent(self, job))
                return;
            if (!job->settled && !is_foretold(self, job))
                settle(self, job);
        }
}

int confirming_run(struct confirming *confirming, const char *path, struct error *error)
{
    struct confirmation *self = NEW(struct confirmation);
    self->options = confirming;
    self->started = now();
    confirm_jobs_collect(&self->jobs, confirming->history, confirming->lists,
                         confirming->list_count);
    int result = self->jobs.count ? replay_program_read(&self->program, path, error) : 0;
    self->program.live_inputs = confirming->live_inputs;
    self->settling = (struct settling){.program = &self->program, .history = confirming->history};
    if (!result)
        confirming->budget_was = budget_of(confirming, &self->program);
    if (result == 0 && self->jobs.count && keep_apart(confirming, &self->program, path))
        settle_all(self);
    for (size_t i = 0; !result && i < self->jobs.count; i++)
        confirming->left += !self->jobs.items[i].settled;
    if (confirming->progress)
        confirming->progress(confirming->progress_context, NULL);
    confirm_ahead_drop(&self->ahead);
    count_dropped(self);
    confirm_ahead_free(&self->ahead);
    settling_free(&self->settling);
    if (self->program.manifest)
        replay_program_free(&self->program);
    map_free(&self->explained);
    map_free(&self->failures);
    foretold_free(&self->foretold);
    array_free(&self->jobs);
    free(self);
    return result;
}
