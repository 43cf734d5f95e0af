#include "cli/replaying.h"

#include "base/memory.h"
#include "cli/recording.h"
#include "cli/replay_paths.h"
#include "cli/scratch.h"
#include "engine/driver.h"
#include "replay/expected_step.h"
#include "replay/watch.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = PATH_MAX + 64 };

/* --- the program -------------------------------------------------------------- */

static const char **text_list(const json_t *list)
{
    size_t count = json_array_size(list);
    const char **texts = NEW_ARRAY(const char *, count + 1);
    for (size_t i = 0; i < count; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        texts[i] = text ? text : "";
    }
    return texts;
}

/* A forked child was never started itself: its program is its parent's, whose trace
 * it lies in. */
static void find_manifest(char path[PATH_ROOM], char process[256], const char *trace_path)
{
    char directory[PATH_MAX], inside[256];
    process[0] = 0;
    if (!realpath(trace_path, directory))
        snprintf(directory, sizeof directory, "%s", trace_path);
    for (;;) {
        snprintf(path, PATH_ROOM, "%s/manifest.json", directory);
        char *last = strrchr(directory, '/');
        if (access(path, F_OK) == 0 || !last || strncmp(last + 1, "process-", 8) != 0)
            return;
        snprintf(inside, sizeof inside, "%.100s%s%.150s", last + 1, *process ? "/" : "", process);
        memcpy(process, inside, sizeof inside);
        *last = 0;
    }
}

int replay_program_read(struct replay_program *program, const char *trace_path, struct error *error)
{
    char path[PATH_ROOM], process[sizeof program->process];
    json_error_t where;
    find_manifest(path, process, trace_path);
    *program = (struct replay_program){.manifest = json_load_file(path, 0, &where)};
    memcpy(program->process, process, sizeof process);
    if (!program->manifest)
        return error_set(
            error, ERROR_INPUT,
            "%s: %s; only a recorded program (a preplay.data directory) can be replayed", path,
            where.text);
    const json_t *manifest = program->manifest;
    program->command = text_list(json_object_get(manifest, "command"));
    program->environment = text_list(json_object_get(manifest, "environment"));
    program->directory = json_string_value(json_object_get(manifest, "directory"));
    program->sync_only = json_is_true(json_object_get(manifest, "sync_only"));
    program->valgrind = json_is_true(json_object_get(manifest, "valgrind"));
    program->seconds = json_number_value(json_object_get(manifest, "seconds"));
    if (!program->command[0])
        return error_set(error, ERROR_INPUT, "%s: no command in it", path);
    return 0;
}

double replay_program_seconds(const struct replay_program *program)
{
    return program->seconds * 10 > 10 ? program->seconds * 10 : 10;
}

void replay_program_free(struct replay_program *program)
{
    free(program->command);
    free(program->environment);
    json_decref(program->manifest);
    *program = (struct replay_program){0};
}

/* --- one run -------------------------------------------------------------------- */

static bool look(void *context, int process)
{
    return watch_look(context, process);
}

/* Where the program lies, if it was named from the directory it was started in. */
static const char *program_file(char *path, size_t room, const struct replay_program *program)
{
    const char *name = program->command[0];
    if (name[0] == '/' || !strchr(name, '/') || !program->directory)
        return NULL;
    snprintf(path, room, "%s/%s", program->directory, name);
    return path;
}

static int run_program(struct watch *watch, const struct replay_program *program,
                       const struct replay_paths *paths, bool scratch,
                       struct replay_outcome *outcome, struct error *error)
{
    char directory[PATH_ROOM], file[2 * PATH_ROOM];
    if (scratch && scratch_make(directory, sizeof directory,
                                program->directory ? program->directory : ".", error))
        return -1;
    /* Locks alone need no Valgrind: the preloaded runtime does, at the program's own speed. */
    bool natively = program->valgrind && watch->kind == FINDING_DEADLOCK;
    struct recording recording = {
        .directory = paths->record,
        .command = program->command,
        .sync_only = program->sync_only || natively,
        .valgrind = program->valgrind && !natively,
        .schedule = paths->schedule,
        .control = paths->control,
        .working_directory = scratch ? directory : program->directory,
        .program = scratch ? program_file(file, sizeof file, program) : NULL,
        .environment = program->environment,
        .output = paths->output,
        .input = paths->input,
        .process_name = program->process,
        .watch = look,
        .watch_context = watch,
    };
    int result = recording_run(&recording, error);
    outcome->seconds = recording.seconds;
    outcome->interrupted = recording.interrupted;
    watch_end(watch, recording.process);
    if (scratch)
        scratch_remove(directory);
    return result;
}

/* --- what was seen ---------------------------------------------------------------- */

/* Happens-before over the trace of the replayed run. A run that was killed may have
 * left nothing to read: then nothing was seen. */
static void detect(struct replay_outcome *outcome, const char *path)
{
    extern const struct engine engine_hb;
    static const struct engine_options options = {.jobs = 1};
    const struct engine *engine = &engine_hb;
    struct error ignored = {0};
    struct driver driver = {0};
    outcome->trace = trace_open(path, &ignored);
    if (!outcome->trace)
        return;
    outcome->seen = findings_create(false);
    driver_run(&driver, outcome->trace, &engine, 1, &options, &ignored);
    for (size_t i = 0; driver.count && i < driver.runs[0].findings->count; i++)
        findings_add(outcome->seen, &driver.runs[0].findings->items[i]);
    driver_free(&driver);
}

static bool race_was_seen(const struct replay_outcome *outcome, const struct history *history,
                          const struct finding *finding)
{
    for (size_t i = 0; outcome->seen && i < outcome->seen->count; i++)
        if (finding_same(&outcome->seen->items[i], outcome->trace, finding, history->trace))
            return true;
    return false;
}

/* Did the culprit run inside the window? Looked for in the replayed trace by thread
 * and source location. */
static bool violation_was_seen(const char *path, const struct history *history,
                               const struct finding *finding)
{
    struct error ignored = {0};
    struct trace *trace = trace_open(path, &ignored);
    const struct event *batch;
    uint32_t stage = 0; /* the window, the culprit inside it, the window's end */
    static const uint32_t wanted[] = {0, 2, 1};
    long count;
    while (trace && stage < 3 && (count = trace_next(trace, &batch, &ignored)) > 0) {
        for (long i = 0; i < count && stage < 3; i++) {
            const struct finding_event *next = &finding->events[wanted[stage]];
            if (batch[i].op == next->op &&
                strcmp(trace_name(trace, CLASS_THREAD, batch[i].thread),
                       trace_name(history->trace, CLASS_THREAD, next->thread)) == 0 &&
                strcmp(trace_location(trace, batch[i].location),
                       trace_location(history->trace, next->location)) == 0)
                stage++;
        }
    }
    trace_close(trace);
    return stage == 3;
}

static bool was_confirmed(struct replay_outcome *outcome, const struct watch *watch,
                          const char *seen, const struct history *history,
                          const struct finding *finding)
{
    switch (finding->kind) {
    case FINDING_DEADLOCK:
        return watch->deadlock;
    case FINDING_RACE:
        return outcome->held || race_was_seen(outcome, history, finding);
    default:
        return violation_was_seen(seen, history, finding);
    }
}

/* The schedule was left in the middle: what was to come, and what came instead. */
static void explain_end(struct replay_outcome *outcome, const struct watch *watch,
                        const struct replay_paths *paths, uint32_t performed)
{
    struct expected_step step = {.thread = CONTROL_THREADS, .name = "?", .op = "?"};
    expected_step_read(&step, paths->schedule, performed);
    bool inside =
        step.thread < CONTROL_THREADS && watch->control->where[step.thread] == CONTROL_PERFORMING;
    snprintf(outcome->reason, sizeof outcome->reason,
             "the program %s after %u of %u steps: expected %s of thread %s, %s",
             !watch->stalled ? "ended"
             : inside        ? "deadlocked"
                             : "stalled",
             performed, watch->steps, step.op, step.name,
             !watch->stalled ? "which never came"
             : inside        ? "which is blocked in it"
                             : "which sleeps elsewhere");
}

static void judge(struct replay_outcome *outcome, const struct watch *watch,
                  const struct replay_paths *paths, const char *seen, const struct history *history,
                  const struct finding *finding)
{
    uint32_t performed = watch->control->turn & ~(1u << 31);
    if (was_confirmed(outcome, watch, seen, history, finding)) {
        outcome->verdict = VERDICT_CONFIRMED;
        snprintf(outcome->reason, sizeof outcome->reason, "%s",
                 watch->deadlock && watch->targets == 1
                     ? "the waiter sleeps, and every other thread has ended or is blocked"
                 : watch->deadlock               ? "every thread of the cycle is blocked"
                 : outcome->held                 ? "both threads stood before their accesses"
                 : finding->kind == FINDING_RACE ? "happens-before does not order the two accesses"
                                                 : "the culprit ran inside the window");
    } else if (watch->timed_out) {
        outcome->verdict = VERDICT_TIMEOUT;
        snprintf(outcome->reason, sizeof outcome->reason,
                 "the time was up (%g s) after %u of %u steps", watch->timeout, performed,
                 watch->steps);
    } else if (watch->diverged || watch->control->state == CONTROL_DIVERGED ||
               watch->control->state == CONTROL_REFUSED) {
        outcome->verdict = VERDICT_DIVERGED;
        snprintf(outcome->reason, sizeof outcome->reason, "%.500s", watch->control->message);
    } else if (performed < watch->steps) {
        outcome->verdict = VERDICT_DIVERGED;
        explain_end(outcome, watch, paths, performed);
    } else {
        outcome->verdict = VERDICT_UNREACHED;
        snprintf(outcome->reason, sizeof outcome->reason,
                 "the schedule was kept, and the error did not show");
    }
}

int replaying_run(struct replay_outcome *outcome, const struct replay_program *program,
                  const struct history *history, const struct finding *finding,
                  const struct replay_manner *manner, struct error *error)
{
    struct replay_paths paths;
    char seen[REPLAY_PATH + sizeof program->process]; /* the trace of what was replayed */
    bool standard = manner->timeout <= 0;
    struct watch watch = {.kind = finding->kind,
                          .timeout = standard ? replay_program_seconds(program) : manner->timeout,
                          .may_take_longer = standard,
                          .recorded = program->seconds};
    *outcome = (struct replay_outcome){0};
    if (replay_paths_make(&paths, history, finding, manner->lane, error) ||
        replay_write_schedule(paths.schedule, history, finding, manner->detail, &watch,
                              &outcome->ordered_accesses, error) ||
        watch_open(&watch, paths.control, false, error))
        return -1;
    if (*program->process)
        snprintf(seen, sizeof seen, "%s/%s", paths.record, program->process);
    else
        snprintf(seen, sizeof seen, "%s", paths.record);
    int result = run_program(&watch, program, &paths, manner->scratch, outcome, error);
    if (!result) {
        outcome->held = watch.control->state == CONTROL_REACHED && finding->kind == FINDING_RACE;
        if (finding->kind == FINDING_RACE)
            detect(outcome, seen);
        judge(outcome, &watch, &paths, seen, history, finding);
    }
    watch_close(&watch);
    remove(paths.control);
    return result;
}

int replaying_try(struct replay_outcome *outcome, const struct replay_program *program,
                  const struct history *history, const struct finding *finding,
                  struct replay_manner manner, uint32_t *runs, struct error *error)
{
    *runs = 1;
    manner.detail = SCHEDULE_NEEDED;
    if (replaying_run(outcome, program, history, finding, &manner, error))
        return -1;
    bool ordered = outcome->ordered_accesses;
    for (manner.detail = ordered ? SCHEDULE_PLAIN : SCHEDULE_FINE; manner.detail <= SCHEDULE_FINE;
         manner.detail++) {
        struct replay_outcome next;
        if (outcome->verdict == VERDICT_CONFIRMED || outcome->verdict == VERDICT_TIMEOUT)
            return 0;
        ++*runs;
        if (replaying_run(&next, program, history, finding, &manner, error))
            return -1;
        bool confirmed = next.verdict == VERDICT_CONFIRMED;
        replay_outcome_free(confirmed ? outcome : &next);
        if (confirmed)
            *outcome = next;
    }
    return 0;
}

void replay_outcome_free(struct replay_outcome *outcome)
{
    findings_destroy(outcome->seen);
    trace_close(outcome->trace);
    *outcome = (struct replay_outcome){0};
}
