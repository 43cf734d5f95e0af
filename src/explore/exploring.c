#include "explore/exploring.h"

#include "base/interruption.h"
#include "explore/focus.h"
#include "explore/knowledge.h"
#include "explore/neighbours.h"
#include "explore/space.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#define LOOK_BYTES  ((uint64_t)1 << 26) /* of states in a first look */
#define MOST_BYTES  ((uint64_t)1 << 31) /* and when nothing is left to ask */
#define FOCUS_BYTES ((uint64_t)1 << 24) /* with a few threads */
#define GRACE       0.5                 /* seconds that the last look may take */
enum { BATCH = 256, NEARBY = 2 };
enum { STATES_A_RUN = 5000 }; /* so many states are visited in the time of a run, or more */

struct exploring {
    const struct explore_backend *backend;
    const struct exploring_limits *limits;
    struct exploration *exploration;
    struct knowledge knowledge;
    struct map asked;
    char output[PATH_MAX], modules[PATH_MAX];
    double began;
    bool stood_still, unknown;
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

static struct failure *known_failure(struct exploration *exploration, const char *id)
{
    for (size_t i = 0; i < exploration->failures.count; i++)
        if (strcmp(exploration->failures.items[i].id, id) == 0)
            return &exploration->failures.items[i];
    return NULL;
}

/* The same schedule again: a failure that comes and goes depends on more than the schedule. */
static int repeat(struct exploring *self, struct failure *failure, const struct step_turn *turns,
                  size_t count)
{
    struct stepped_run run;
    struct failure again;
    if (self->backend->run(self->backend->context, turns, count, self->output, &run, self->error))
        return -1;
    failure_judge(&again, &run, self->exploration->usual, self->output, self->modules);
    failure->repeated = strcmp(again.id, failure->id) == 0;
    failure_free(&again);
    return 0;
}

static int note_failure(struct exploring *self, struct failure *failure,
                        const struct step_turn *turns, size_t count, uint32_t cost)
{
    struct exploration *exploration = self->exploration;
    struct failure *known = known_failure(exploration, failure->id);
    if (!exploration->to_first_failure)
        exploration->to_first_failure = exploration->runs;
    if (known) {
        known->times++;
        failure_free(failure);
        return 0;
    }
    failure->run = exploration->runs;
    failure->times = 1;
    failure->preemptions = cost;
    for (size_t i = 0; i < count; i++)
        array_push(&failure->turns, turns[i]);
    array_push(&exploration->failures, *failure);
    return repeat(self, &array_last(&exploration->failures), turns, count);
}

static int run_once(struct exploring *self, const struct step_turn *turns, size_t count,
                    uint32_t cost)
{
    struct exploration *exploration = self->exploration;
    struct stepped_run run;
    struct failure failure;
    if (self->backend->run(self->backend->context, turns, count, self->output, &run, self->error))
        return -1;
    exploration->interrupted |= run.interrupted;
    exploration->unstepped = run.unstepped;
    if (run.interrupted || run.unstepped)
        return 0;
    if (!exploration->runs++ && WIFEXITED(run.status) && run.page->end <= STEP_EXITED)
        exploration->usual = WEXITSTATUS(run.status);
    exploration->diverged += run.page->diverged != 0;
    exploration->events += run.page->events;
    self->stood_still |= run.stopped;
    self->unknown |= run.page->unknown != 0;
    knowledge_add(&self->knowledge, run.page);
    failure_judge(&failure, &run, exploration->usual, self->output, self->modules);
    return failure.kind == FAILURE_NONE ? 0 : note_failure(self, &failure, turns, count, cost);
}

/* --- questions ----------------------------------------------------------------------------------
 */

static bool is_answered(const struct exploring *self, const struct question *question)
{
    if (question->node == NODE_NONE || question->seen == KEY_UNKNOWN)
        return false;
    return known_edge(&self->knowledge.nodes.items[question->node], question->seen);
}

/* The first `most` of the questions: then more is known, and a new look finds better ones. */
static int ask_all(struct exploring *self, const struct questions *questions, uint64_t most)
{
    uint32_t generation = self->knowledge.generation;
    for (size_t i = 0; i < questions->count && most && !is_over(self); i++) {
        const struct question *question = &questions->items[i];
        bool added;
        if (is_answered(self, question))
            continue;
        most--;
        map_at(&self->asked, question->identity, &added);
        if (run_once(self, question->turns.items, question->turns.count, question->cost))
            return -1;
        if (self->knowledge.generation != generation)
            return 0;
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
    doubt(exploration, self->knowledge.full, "a run was longer than what is kept of one");
    doubt(exploration, self->knowledge.unstable,
          "a thread did something else although it had read the same: something outside decides");
    doubt(exploration, self->knowledge.unexplained,
          "memory that threads share was changed by code that is not instrumented");
    doubt(exploration, self->stood_still,
          "a run stood still in a call that preplay does not know, and was ended");
    doubt(exploration, self->unknown, "processes, or calls that are no choice yet, played a part");
    doubt(exploration, exploration->diverged, "a run could not keep its schedule");
    if (*exploration->doubts)
        exploration->complete = false;
}

int exploring_run(const struct explore_backend *backend, const char *directory,
                  const struct exploring_limits *limits, struct exploration *exploration,
                  struct error *error)
{
    struct exploring self = {.backend = backend,
                             .limits = limits,
                             .exploration = exploration,
                             .began = seconds(),
                             .error = error};
    *exploration = (struct exploration){0};
    snprintf(self.output, sizeof self.output, "%.4000s/output", directory);
    snprintf(self.modules, sizeof self.modules, "%.4000s/modules", directory);
    int result = run_once(&self, NULL, 0, 0);
    if (!result && !exploration->unstepped)
        result = explore(&self);
    if (!result && !exploration->unstepped)
        conclude(&self);
    map_free(&self.asked);
    knowledge_free(&self.knowledge);
    return result;
}

void exploration_free(struct exploration *exploration)
{
    for (size_t i = 0; i < exploration->failures.count; i++)
        failure_free(&exploration->failures.items[i]);
    array_free(&exploration->failures);
}
