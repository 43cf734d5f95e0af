/* SPDX-License-Identifier: MIT */
#include "explore/exploring.h"

#include "base/interruption.h"
#include "explore/explaining.h"
#include "explore/focus.h"
#include "explore/knowledge.h"
#include "explore/neighbours.h"
#include "explore/output.h"
#include "explore/shrinking.h"
#include "explore/space.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#define LOOK_BYTES  ((uint64_t)1 << 26)         /* of states in a first look */
#define MOST_BYTES  ((uint64_t)1 << 31)         /* and when nothing is left to ask */
#define FOCUS_BYTES ((uint64_t)1 << 24)         /* with a few threads */
#define GRACE       0.5                         /* seconds that the last look may take */
enum { MOST_SHRUNK = 20, SHRINKING_RUNS = 60 }; /* failures; runs for each */
enum { BATCH = 256, NEARBY = 2 };
enum { STATES_A_RUN = 5000 }; /* so many states are visited in the time of a run, or more */

struct exploring {
    const struct exploring_workers *workers;
    const struct exploring_limits *limits;
    struct exploration *exploration;
    struct knowledge knowledge;
    struct map asked;
    char output[EXPLORING_WORKERS][PATH_MAX]; /* of each */
    char modules[PATH_MAX], expected[PATH_MAX];
    struct failure_norm norm;
    double began;
    bool stood_still, took_long;
    uint32_t unknown; /* set of enum step_unknown */
    struct error *error;
};

static double seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static bool is_over(const struct exploring *self)
{
    const struct exploring_limits *limits = self->limits;
    const struct exploration *so_far = self->exploration;
    return (limits->runs && so_far->runs >= limits->runs) ||
           (limits->seconds > 0 && seconds() - self->began >= limits->seconds) ||
           (limits->until_failure && so_far->failures.count) || so_far->interrupted ||
           so_far->unstepped;
}

/* --- runs ---------------------------------------------------------------------------------------
 */

static struct failure *known_failure(struct exploration *exploration, const char *identity)
{
    for (size_t i = 0; i < exploration->failures.count; i++)
        if (strcmp(exploration->failures.items[i].identity, identity) == 0)
            return &exploration->failures.items[i];
    return NULL;
}

/* A schedule, and the worker that runs it. */
struct trial {
    const struct step_turn *turns;
    size_t count;
    uint32_t cost;
    size_t worker;
};

/* The same schedule again: a failure that comes and goes depends on more than the schedule. */
static int repeat(struct exploring *self, struct failure *failure, const struct trial *trial)
{
    const struct explore_backend *backend = &self->workers->backends[trial->worker];
    const char *output = self->output[trial->worker];
    struct stepped_run run;
    struct failure again;
    if (backend->run(backend->context, trial->turns, trial->count, output, &run, self->error))
        return -1;
    failure_judge(&again, &run, &self->norm, output, self->modules);
    failure->repeated = strcmp(again.identity, failure->identity) == 0;
    failure_free(&again);
    return 0;
}

static int note_failure(struct exploring *self, struct failure *failure, const struct trial *trial)
{
    struct exploration *exploration = self->exploration;
    struct failure *known = known_failure(exploration, failure->identity);
    if (!exploration->to_first_failure)
        exploration->to_first_failure = exploration->runs;
    if (known) {
        known->times++;
        failure_free(failure);
        return 0;
    }
    failure->run = exploration->runs;
    failure->times = 1;
    failure->preemptions = trial->cost;
    failure->kept = kept_run_copy(&array_last(&self->knowledge.runs));
    for (size_t i = 0; i < trial->count; i++)
        array_push(&failure->turns, trial->turns[i]);
    array_push(&exploration->failures, *failure);
    return repeat(self, &array_last(&exploration->failures), trial);
}

/* The first run that went well says what is to be printed. */
static int keep_output(struct exploring *self, const char *output)
{
    if (self->norm.output)
        return 0;
    self->norm.output = self->expected;
    return output_keep(output, self->expected, self->error);
}

static int take_run(struct exploring *self, const struct trial *trial,
                    const struct stepped_run *run)
{
    struct exploration *exploration = self->exploration;
    const char *output = self->output[trial->worker];
    struct failure failure;
    exploration->interrupted |= run->interrupted;
    exploration->unstepped |= run->unstepped;
    if (run->interrupted || run->unstepped)
        return 0;
    if (!exploration->runs++ && WIFEXITED(run->status) && run->page->end <= STEP_EXITED)
        self->norm.code = exploration->usual = WEXITSTATUS(run->status);
    exploration->diverged += run->page->diverged != 0;
    exploration->events += run->page->events;
    self->stood_still |= run->stopped;
    self->took_long |= run->late;
    self->unknown |= run->page->unknown;
    knowledge_add(&self->knowledge, run->page);
    if (exploration->runs == 1)
        exploration->first = kept_run_copy(&array_last(&self->knowledge.runs));
    if (self->workers->watch)
        self->workers->watch(self->workers->context, &array_last(&self->knowledge.runs),
                             exploration->runs);
    failure_judge(&failure, run, &self->norm, output, self->modules);
    array_last(&self->knowledge.runs).failed =
        failure.kind != FAILURE_NONE || run->stopped || run->late;
    if (failure.kind != FAILURE_NONE)
        return note_failure(self, &failure, trial);
    return self->limits->same_output && !run->stopped && !run->late ? keep_output(self, output) : 0;
}

static int run_alone(struct exploring *self, const struct trial *trial)
{
    const struct explore_backend *backend = &self->workers->backends[trial->worker];
    struct stepped_run run;
    return backend->run(backend->context, trial->turns, trial->count, self->output[trial->worker],
                        &run, self->error)
               ? -1
               : take_run(self, trial, &run);
}

/* Each by a worker of its own. All of them are waited for, whatever becomes of one. */
static int run_beside(struct exploring *self, const struct trial *trials, size_t count)
{
    size_t begun = 0;
    int result = 0;
    while (begun < count && !result) {
        const struct explore_backend *backend = &self->workers->backends[begun];
        result = backend->begin(backend->context, trials[begun].turns, trials[begun].count,
                                self->output[begun], self->error);
        begun += !result;
    }
    for (size_t i = 0; i < begun; i++) {
        const struct explore_backend *backend = &self->workers->backends[i];
        struct stepped_run run;
        if (backend->end(backend->context, &run, self->error) ||
            (!result && take_run(self, &trials[i], &run)))
            result = -1;
    }
    return result;
}

/* --- questions ----------------------------------------------------------------------------------
 */

static bool is_answered(const struct exploring *self, const struct question *question)
{
    if (question->node == NODE_NONE || question->seen == KEY_UNKNOWN)
        return false;
    return known_edge(&self->knowledge.nodes.items[question->node], question->seen);
}

/* As many as can run side by side, and no more than `most`. */
static size_t choose(struct exploring *self, const struct questions *questions, size_t *next,
                     uint64_t most, struct trial *trials)
{
    size_t count = 0, room = self->workers->count;
    uint64_t left = self->limits->runs ? self->limits->runs - self->exploration->runs : room;
    for (; *next < questions->count && count < room && count < most && count < left; ++*next) {
        const struct question *question = &questions->items[*next];
        bool added;
        if (is_answered(self, question))
            continue;
        map_at(&self->asked, question->identity, &added);
        trials[count] =
            (struct trial){question->turns.items, question->turns.count, question->cost, count};
        count++;
    }
    return count;
}

/* The first `most` of the questions: then more is known, and a new look finds better ones. */
static int ask_all(struct exploring *self, const struct questions *questions, uint64_t most)
{
    uint32_t generation = self->knowledge.generation;
    struct trial trials[EXPLORING_WORKERS];
    size_t next = 0, count;
    if (most < self->workers->count)
        most = self->workers->count;
    while (!is_over(self) && self->knowledge.generation == generation &&
           (count = choose(self, questions, &next, most, trials))) {
        most -= count;
        if (count == 1 ? run_alone(self, trials) : run_beside(self, trials, count))
            return -1;
    }
    return 0;
}

static void look(const struct exploring *self, uint64_t bytes, const bool *focus,
                 struct space_answer *answer)
{
    const struct exploring_limits *limits = self->limits;
    space_visit(&self->knowledge,
                &(struct space_limits){
                    .bytes = bytes,
                    .cost = limits->preemptions,
                    .most = BATCH,
                    .asked = &self->asked,
                    .focus = focus,
                    .until = limits->seconds > 0 ? self->began + limits->seconds + GRACE : 0},
                answer);
}

/* 1 if there was something to ask, 0 if not. */
static int look_and_ask(struct exploring *self, uint64_t bytes, const bool *focus)
{
    struct space_answer answer;
    look(self, bytes, focus, &answer);
    self->exploration->states = answer.states;
    int result = answer.questions.count
                     ? ask_all(self, &answer.questions, 1 + answer.states / STATES_A_RUN)
                     : 0;
    if (!result)
        result = answer.questions.count > 0;
    self->exploration->complete = !focus && !answer.questions.count && answer.whole;
    questions_free(&answer.questions);
    return result;
}

/* Where there are too many states for all of them: a few threads at a time, one set for each way to
 * choose them by the code that they begin with, then every pair. 1 if there was something to ask.
 */
static int ask_in_focus(struct exploring *self)
{
    struct focus_sets sets = {0};
    int found = 0;
    focus_choose(&sets, &self->knowledge);
    for (size_t i = 0; i < sets.count && !found && !is_over(self); i++)
        found = look_and_ask(self, FOCUS_BYTES, sets.items[i].threads);
    focus_free(&sets);
    return found;
}

/* First what is near to the newest run. */
static int ask_nearby(struct exploring *self)
{
    struct questions questions = {0};
    if (self->limits->preemptions != UINT32_MAX)
        return 0;
    neighbours_find(&self->knowledge, &self->asked, &questions);
    int result = questions.count ? ask_all(self, &questions, NEARBY) : 0;
    if (!result)
        result = questions.count > 0;
    questions_free(&questions);
    return result;
}

static int explore(struct exploring *self)
{
    uint64_t bytes = LOOK_BYTES;
    bool large = false;
    while (!is_over(self)) {
        int found = ask_nearby(self);
        if (!found && !large)
            found = look_and_ask(self, bytes, NULL);
        bool focused = !found && !self->exploration->complete && !is_over(self);
        if (focused)
            found = ask_in_focus(self);
        large = focused && found > 0;
        if (found < 0)
            return -1;
        if (found)
            continue;
        if (self->exploration->complete || bytes >= MOST_BYTES)
            return 0;
        large = false;
        bytes *= 4;
    }
    return 0;
}

/* --- what it comes to ---------------------------------------------------------------------------
 */

static void doubt(struct exploration *exploration, bool doubted, const char *sentence)
{
    size_t at = strlen(exploration->doubts);
    if (doubted)
        snprintf(exploration->doubts + at, DOUBTS_TEXT - at, "%s%s", at ? ". " : "", sentence);
}

static void doubt_unknown(struct exploration *exploration, uint32_t unknown)
{
    doubt(exploration, unknown & STEP_BY_PROCESSES, "processes that it starts run when they like");
    doubt(exploration, unknown & STEP_BY_SIGNALS, "signals come when they like");
    doubt(exploration, unknown & STEP_BY_CANCELLING, "when a thread is cancelled is no choice yet");
    doubt(exploration, unknown & STEP_BY_INPUT,
          "what threads read from files, pipes and sockets is no choice yet");
    doubt(exploration, unknown & STEP_BY_LIBRARY,
          "threads share what the C library keeps (random numbers, strtok)");
    doubt(exploration, unknown & STEP_BY_OTHERS, "calls that are no choice yet played a part");
}

static void conclude(struct exploring *self)
{
    struct exploration *exploration = self->exploration;
    if (!exploration->complete) {
        struct space_answer answer;
        look(self, FOCUS_BYTES, NULL, &answer);
        exploration->open = answer.questions.count;
        exploration->complete = !exploration->open && answer.whole && !exploration->interrupted;
        questions_free(&answer.questions);
    }
    exploration->behaviours = knowledge_behaviours(&self->knowledge);
    exploration->threads = (uint32_t)self->knowledge.threads.count;
    exploration->objects = self->knowledge.words.count + self->knowledge.objects.count;
    exploration->seconds = seconds() - self->began;
    doubt(exploration, self->knowledge.full,
          "a run was longer than what is kept of one: give the program less to do");
    doubt(exploration, self->knowledge.unstable,
          "a thread did something else although it had read the same: something outside decides");
    doubt(exploration, self->knowledge.unexplained,
          "memory that threads share was changed by code that is not instrumented");
    doubt(exploration, self->stood_still,
          "a run stood still in a call that preplay does not know, and was ended");
    doubt(exploration, self->took_long,
          "a run did not end in time, and was ended: let the program end by itself, or give more "
          "--time");
    doubt_unknown(exploration, self->unknown);
    doubt(exploration, exploration->diverged, "a run could not keep its schedule");
    if (*exploration->doubts)
        exploration->complete = false;
}

/* Every failure as small as it can be made, and why it is one. What these runs cost is not counted:
 * they look for nothing. */
static int make_plain(struct exploring *self)
{
    struct symbols *symbols = symbols_open(self->modules);
    int result = 0;
    for (size_t i = 0; i < self->exploration->failures.count && !result; i++) {
        struct failure *failure = &self->exploration->failures.items[i];
        struct shrinking shrinking = {
            .backend = &self->workers->backends[0],
            .norm = &self->norm,
            .output = self->output[0],
            .modules = self->modules,
            .knowledge = &self->knowledge,
            .runs = i < MOST_SHRUNK && !self->exploration->interrupted ? SHRINKING_RUNS : 0};
        result = shrinking_run(&shrinking, failure, self->error);
        explaining_tell(failure, &self->knowledge, symbols);
    }
    symbols_close(symbols);
    return result;
}

int exploring_run(const struct exploring_workers *workers, const char *directory,
                  const struct exploring_limits *limits, struct exploration *exploration,
                  struct error *error)
{
    struct exploring self = {.workers = workers,
                             .limits = limits,
                             .exploration = exploration,
                             .began = seconds(),
                             .error = error};
    assert(workers->count && workers->count <= EXPLORING_WORKERS);
    *exploration = (struct exploration){0};
    for (size_t i = 0; i < workers->count; i++)
        snprintf(self.output[i], PATH_MAX, i ? "%.4000s/output-%zu" : "%.4000s/output", directory,
                 i);
    snprintf(self.modules, sizeof self.modules, "%.4000s/modules", directory);
    snprintf(self.expected, sizeof self.expected, "%.4000s/expected", directory);
    int result = run_alone(&self, &(struct trial){0});
    if (!result && !exploration->unstepped)
        result = explore(&self);
    if (!result && !exploration->unstepped)
        conclude(&self);
    if (!result && !exploration->unstepped)
        result = make_plain(&self);
    map_free(&self.asked);
    knowledge_free(&self.knowledge);
    return result;
}

void exploration_free(struct exploration *exploration)
{
    for (size_t i = 0; i < exploration->failures.count; i++)
        failure_free(&exploration->failures.items[i]);
    array_free(&exploration->failures);
    kept_run_free(&exploration->first);
}
