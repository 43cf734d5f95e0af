#include "cli/confirming.h"

#include "base/array.h"
#include "cli/replaying.h"
#include "trace/turns.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* A sound prediction that did not show gets another chance: what its witness does not
 * order (input, timing) may have differed. */
enum { ATTEMPTS = 3 };

struct job {
    struct finding *finding;
    char id[FINDING_ID_SIZE];
    uint32_t length; /* of the schedule, in events */
    uint32_t order;  /* as found */
    bool settled;
};

struct jobs ARRAY_OF(struct job);

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static bool is_sound(const struct finding *finding)
{
    return finding->model != MODEL_SYNC && finding->model != MODEL_NONE;
}

/* Sound predictions before candidates, short schedules before long ones. */
static int compare_jobs(const void *a, const void *b)
{
    const struct job *x = a, *y = b;
    if (is_sound(x->finding) != is_sound(y->finding))
        return is_sound(x->finding) ? -1 : 1;
    if (x->length != y->length)
        return x->length < y->length ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static bool wants_replay(const struct finding *finding)
{
    return finding->witness &&
           (finding->verdict == VERDICT_PREDICTED || finding->verdict == VERDICT_CANDIDATE);
}

static void collect(struct jobs *jobs, const struct confirming *confirming)
{
    for (size_t i = 0; i < confirming->list_count; i++)
        for (size_t k = 0; k < confirming->lists[i]->count; k++) {
            struct finding *finding = &confirming->lists[i]->items[k];
            if (!wants_replay(finding))
                continue;
            struct job job = {.finding = finding, .order = (uint32_t)jobs->count};
            job.length = finding->in_turns ? turns_events(confirming->history, finding->witness,
                                                          finding->witness_length)
                                           : finding->witness_length;
            finding_id(finding, confirming->history->trace, job.id);
            array_push(jobs, job);
        }
    if (jobs->count)
        qsort(jobs->items, jobs->count, sizeof *jobs->items, compare_jobs);
}

static void confirm_seen(struct jobs *jobs, const struct job *replayed,
                         const struct replay_outcome *outcome)
{
    for (size_t i = 0; outcome->seen && i < outcome->seen->count; i++) {
        char id[FINDING_ID_SIZE], text[64];
        finding_id(&outcome->seen->items[i], outcome->trace, id);
        for (size_t k = 0; k < jobs->count; k++) {
            struct job *job = &jobs->items[k];
            if (job == replayed || strcmp(job->id, id) != 0 ||
                job->finding->verdict == VERDICT_CONFIRMED)
                continue;
            snprintf(text, sizeof text, "it happened while %s was replayed", replayed->id);
            finding_settle(job->finding, VERDICT_CONFIRMED, text);
            job->settled = true;
        }
    }
}

static void show_progress(const struct confirming *confirming, const struct jobs *jobs,
                          const struct job *current)
{
    size_t settled = 0, confirmed = 0;
    if (!confirming->progress)
        return;
    for (size_t i = 0; i < jobs->count; i++) {
        settled += jobs->items[i].settled;
        confirmed += jobs->items[i].finding->verdict == VERDICT_CONFIRMED;
    }
    if (current)
        fprintf(stderr, "\r\033[Kpreplay: %zu of %zu predictions settled, %zu confirmed; now %s",
                settled, jobs->count, confirmed, current->id);
    else
        fputs("\r\033[K", stderr);
    fflush(stderr);
}

static double seconds_left(const struct confirming *confirming, double started)
{
    return confirming->budget - (now() - started);
}

/* How long the next replay may take; 0: the standard. */
static double limit(const struct confirming *confirming, const struct replay_program *program,
                    double left)
{
    double each = confirming->timeout;
    if (each <= 0)
        return left < replay_program_seconds(program) ? left : 0;
    return left < each ? left : each;
}

/* False if the budget is spent, or the user has had enough. */
static bool settle(struct confirming *confirming, const struct replay_program *program,
                   struct jobs *jobs, struct job *job, double started)
{
    /* What is likely to do, then less, then more. */
    static const enum schedule_detail details[ATTEMPTS] = {SCHEDULE_NEEDED, SCHEDULE_PLAIN,
                                                           SCHEDULE_FINE};
    int attempts = is_sound(job->finding) ? ATTEMPTS : 1;
    for (int i = 0; i < attempts && !job->settled; i++) {
        double left = seconds_left(confirming, started);
        if (confirming->replays >= confirming->most || left <= 0)
            return i > 0;
        struct replay_outcome outcome;
        struct error error = {0};
        show_progress(confirming, jobs, job);
        confirming->replays++;
        struct replay_manner manner = {.timeout = limit(confirming, program, left),
                                       .detail = details[i]};
        if (replaying_run(&outcome, program, confirming->history, job->finding, &manner, &error)) {
            finding_settle(job->finding, job->finding->verdict, error.text);
            job->settled = true;
            return true;
        }
        if (outcome.interrupted) {
            confirming->interrupted = true;
            replay_outcome_free(&outcome);
            return false;
        }
        finding_settle(job->finding, outcome.verdict, outcome.reason);
        job->settled = outcome.verdict == VERDICT_CONFIRMED;
        confirm_seen(jobs, job, &outcome);
        replay_outcome_free(&outcome);
    }
    job->settled = true;
    return true;
}

int confirming_run(struct confirming *confirming, const char *path, struct error *error)
{
    struct replay_program program;
    struct jobs jobs = {0};
    double started = now();
    collect(&jobs, confirming);
    int result = jobs.count ? replay_program_read(&program, path, error) : 0;
    for (size_t i = 0; !result && i < jobs.count; i++)
        if (!jobs.items[i].settled &&
            (confirming->interrupted ||
             !settle(confirming, &program, &jobs, &jobs.items[i], started)))
            confirming->left++;
    show_progress(confirming, &jobs, NULL);
    confirming->seconds = now() - started;
    if (jobs.count && program.manifest)
        replay_program_free(&program);
    array_free(&jobs);
    return result;
}
