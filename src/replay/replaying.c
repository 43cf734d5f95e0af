/* SPDX-License-Identifier: MIT */
#include "replay/replaying.h"

#include "base/files.h"
#include "base/memory.h"
#include "target/manifest.h"
#include "target/recording.h"
#include "replay/replay_paths.h"
#include "target/sandbox.h"
#include "engine/driver.h"
#include "replay/expected_step.h"
#include "replay/untimely_seen.h"
#include "replay/watch.h"
#include "trace/misuse_rules.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
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

/* What was left out of the recording as a secret is taken from our own environment. */
static void read_environment(struct replay_program *program, const json_t *manifest)
{
    extern char **environ;
    const json_t *left_out = json_object_get(manifest, "environment_left_out");
    const json_t *kept = json_object_get(manifest, "environment");
    size_t count = json_array_size(kept), missing = 0;
    program->environment = NEW_ARRAY(const char *, count + json_array_size(left_out) + 1);
    program->missing = NEW_ARRAY(const char *, json_array_size(left_out) + 1);
    for (size_t i = 0; i < count; i++) {
        const char *text = json_string_value(json_array_get(kept, i));
        program->environment[i] = text ? text : "";
    }
    for (size_t i = 0; i < json_array_size(left_out); i++) {
        const char *name = json_string_value(json_array_get(left_out, i));
        size_t length = name ? strlen(name) : 0;
        char **entry = environ;
        while (length && *entry && (strncmp(*entry, name, length) != 0 || (*entry)[length] != '='))
            entry++;
        if (length && *entry)
            program->environment[count++] = *entry;
        else if (length)
            program->missing[missing++] = name;
    }
}

/* A program that was told to end did not end by itself. */
static struct recorded_end read_end(const json_t *manifest)
{
    const json_t *code = json_object_get(manifest, "exit_code");
    int number = (int)json_integer_value(json_object_get(manifest, "signal"));
    bool told = number == SIGTERM || number == SIGINT || number == SIGKILL || number == SIGHUP ||
                number == SIGQUIT || number == SIGALRM;
    return (struct recorded_end){
        .known = code || (number && !told),
        .exit_code = code ? (int)json_integer_value(code) : -1,
        .signal = number,
    };
}

int replay_program_read(struct replay_program *program, const char *trace_path, struct error *error)
{
    *program = (struct replay_program){0};
    json_t *manifest = manifest_read(trace_path, program->process, error);
    if (!manifest)
        return -1;
    program->manifest = manifest;
    program->command = text_list(json_object_get(manifest, "command"));
    read_environment(program, manifest);
    program->directory = json_string_value(json_object_get(manifest, "directory"));
    program->sync_only = json_is_true(json_object_get(manifest, "sync_only"));
    program->valgrind = json_is_true(json_object_get(manifest, "valgrind"));
    program->seconds = json_number_value(json_object_get(manifest, "seconds"));
    program->processor_seconds = json_number_value(json_object_get(manifest, "processor_seconds"));
    program->end = read_end(manifest);
    program->id = (int)json_integer_value(json_object_get(manifest, "process"));
    if (!program->command[0])
        return error_set(error, ERROR_INPUT, "%s: its manifest names no command", trace_path);
    return 0;
}

double replay_program_seconds(const struct replay_program *program)
{
    return program->seconds * 10 > 10 ? program->seconds * 10 : 10;
}

int replay_program_keep_apart(struct replay_program *program, const char *trace_path, bool in_place,
                              struct error *error)
{
    /* That of a forked child lies inside its program's. */
    char recording[PATH_MAX];
    size_t inside = strlen(program->process);
    if (!realpath(trace_path, recording))
        return error_set(error, ERROR_INPUT, "%s: %s", trace_path, strerror(errno));
    if (inside && strlen(recording) > inside)
        recording[strlen(recording) - inside - 1] = 0;
    struct sandbox_wish wish = {
        .trace = trace_path,
        .recording = recording,
        .directory = program->directory,
        .environment = program->environment,
        .network_is_known = !program->sync_only,
        .in_place = in_place,
    };
    program->sandbox = sandbox_create(&wish, error);
    return program->sandbox ? 0 : -1;
}

void replay_program_free(struct replay_program *program)
{
    sandbox_destroy(program->sandbox);
    free(program->command);
    free(program->environment);
    free(program->missing);
    json_decref(program->manifest);
    *program = (struct replay_program){0};
}

/* --- one run -------------------------------------------------------------------- */

static bool look(void *context, int process)
{
    return watch_look(context, process);
}

const char *replay_program_file(char *path, size_t room, const struct replay_program *program)
{
    const char *name = program->command[0];
    if (name[0] == '/' || !strchr(name, '/') || !program->directory)
        return NULL;
    snprintf(path, room, "%s/%s", program->directory, name);
    return path;
}

static int run_program(struct watch *watch, const struct replay_program *program,
                       const struct replay_paths *paths, struct replay_outcome *outcome,
                       struct error *error)
{
    char file[2 * PATH_ROOM];
    /* Locks alone need no Valgrind: the preloaded runtime does, at the program's own speed. */
    bool natively = program->valgrind && watch->kind == FINDING_DEADLOCK;
    struct recording recording = {
        .directory = paths->record,
        .limit = RECORDING_SHARE,
        .command = program->command,
        .sync_only = program->sync_only || natively,
        .valgrind = program->valgrind && !natively,
        .schedule = paths->schedule,
        .control = paths->control,
        .sandbox = program->sandbox,
        .program = replay_program_file(file, sizeof file, program),
        .environment = program->environment,
        .output = paths->output,
        .input = paths->input,
        .inputs = program->live_inputs ? NULL : paths->inputs,
        .recorded_process = program->live_inputs ? 0 : program->id,
        .process_name = program->process,
        .watch = look,
        .watch_context = watch,
    };
    int result = recording_run(&recording, error);
    outcome->seconds = recording.seconds;
    outcome->interrupted = recording.interrupted;
    if (!result)
        run_ending_judge(&outcome->ending, watch, recording.status, &program->end, paths->output);
    recording_close(&recording);
    return result;
}

/* --- what was seen ---------------------------------------------------------------- */

/* Happens-before over the trace of the replayed run, or the misuse that happened in it. A run that
 * was killed may have left nothing to read: then nothing was seen. */
static void detect(struct replay_outcome *outcome, const char *path, enum finding_kind kind)
{
    extern const struct engine engine_hb, engine_misused;
    static const struct engine_options options = {.jobs = 1};
    const struct engine *engine = kind == FINDING_MISUSE ? &engine_misused : &engine_hb;
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

static bool finding_was_seen(const struct replay_outcome *outcome, const struct history *history,
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
            if (op_performed(batch[i].op) == next->op &&
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

/* The program crashed when the schedule was through. A variable that is accessed by no other thread
 * any more is in no trace. */
static bool crashed_at_end(const struct replay_outcome *outcome, const struct watch *watch)
{
    uint32_t performed = watch->control->turn & ~CONTROL_FREE_BIT;
    return performed >= watch->steps && outcome->ending.rule &&
           strcmp(outcome->ending.rule, "crash") == 0;
}

static bool was_confirmed(struct replay_outcome *outcome, const struct watch *watch,
                          const char *seen, const struct history *history,
                          const struct finding *finding)
{
    switch (finding_shape(finding)) {
    case FINDING_DEADLOCK:
        return watch->deadlock;
    case FINDING_RACE:
        return outcome->held || finding_was_seen(outcome, history, finding);
    case FINDING_MISUSE:
        return finding_was_seen(outcome, history, finding);
    case FINDING_ORDER:
        return finding->event_count == 2 &&
               (untimely_seen(seen, history, finding) ||
                (finding->error == ATOMICITY_BEFORE && crashed_at_end(outcome, watch)));
    default: /* or nothing at all: the recorded order */
        return finding->event_count == 3 && violation_was_seen(seen, history, finding);
    }
}

static void note_left(struct replay_outcome *outcome, const struct expected_step *step,
                      uint32_t index)
{
    outcome->left = true;
    outcome->left_index = index;
    snprintf(outcome->left_thread, sizeof outcome->left_thread, "%.63s", step->name);
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
             !watch->stalled   ? "ended"
             : watch->spinning ? "computes without end"
             : inside          ? "deadlocked"
                               : "stalled",
             performed, watch->steps, step.op, step.name,
             !watch->stalled   ? "which never came"
             : watch->spinning ? "which does not come"
             : inside          ? "which is blocked in it"
                               : "which sleeps elsewhere");
    /* Who is awaited in vain has gone another way; if the program ends, that may be another's. */
    if (watch->stalled && !inside)
        note_left(outcome, &step, step.index);
}

static const char *race_text(const struct replay_outcome *outcome)
{
    return outcome->by_itself ? "the program came to it by itself, after it had left the schedule: "
                                "happens-before does not order the two accesses"
                              : "happens-before does not order the two accesses";
}

static void judge(struct replay_outcome *outcome, const struct watch *watch,
                  const struct replay_paths *paths, const char *seen, const struct history *history,
                  const struct finding *finding)
{
    uint32_t performed = watch->control->turn & ~CONTROL_FREE_BIT;
    if (was_confirmed(outcome, watch, seen, history, finding)) {
        outcome->verdict = VERDICT_CONFIRMED;
        outcome->by_itself = watch->happens_anyway && (watch->diverged || watch->stalled);
        snprintf(outcome->reason, sizeof outcome->reason, "%s",
                 watch->deadlock && watch->targets == 1
                     ? "the waiter sleeps, and every other thread has ended or is blocked"
                 : watch->deadlock                 ? "every thread of the cycle is blocked"
                 : outcome->held                   ? "both threads stood before their accesses"
                 : finding->kind == FINDING_RACE   ? race_text(outcome)
                 : finding->kind == FINDING_MISUSE ? misuse_rules[misuse_find(finding->rule)].text
                 : finding->kind == FINDING_ORDER
                     ? untimely_seen_text(finding)
                     : "another thread's step came between those that belong together");
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

/* --- values ------------------------------------------------------------------------- */

static void print_value(char *text, size_t room, const struct control_target *target, bool write)
{
    uint64_t value = write ? target->after : target->before;
    if (!(target->known & (write ? 2 : 1)))
        snprintf(text, room, "?");
    else if (value < 100000)
        snprintf(text, room, "%llu", (unsigned long long)value);
    else
        snprintf(text, room, "0x%llx", (unsigned long long)value);
}

/* "T0 reads 0, then T0.1 writes 1"; targets are in the order of the witness's end. */
static void tell_values(struct replay_outcome *outcome, const struct watch *watch,
                        const struct history *history, const struct finding *finding)
{
    const struct finding_event *events = finding->events;
    size_t length = 0;
    if (!watch->first || watch->targets != 2 || finding->event_count != 2 || !outcome->held)
        return;
    for (int i = 0; i < 2; i++) {
        char value[32];
        const struct control_target *target = &watch->control->targets[i ^ (watch->first - 1)];
        const char *thread = trace_name(history->trace, CLASS_THREAD, events[0].thread);
        int mine = strcmp(target->thread, thread) == 0 ? 0 : 1;
        bool frees = events[mine].flags & EVENT_FREES;
        bool write = op_in(events[mine].op, OPS_WRITING);
        print_value(value, sizeof value, target, write);
        length += (size_t)snprintf(outcome->values + length, sizeof outcome->values - length,
                                   "%s%.60s %s%s", i ? ", then " : "", target->thread,
                                   frees   ? "frees it"
                                   : write ? "writes "
                                           : "reads ",
                                   frees ? "" : value);
    }
}

/* --- one run, from its schedule to its verdict ----------------------------------------- */

/* Replays side by side have files of their own: the schedule that was kept lies in the first lane.
 */
static int copy_kept(const struct replay_paths *paths, const struct history *history,
                     const char *id, struct error *error)
{
    struct replay_paths kept;
    char block[4096];
    size_t got;
    if (replay_paths_make(&kept, history, id, 0, error))
        return -1;
    FILE *from = files_read(kept.schedule), *to = files_write(paths->schedule);
    while (from && to && (got = fread(block, 1, sizeof block, from)) > 0)
        fwrite(block, 1, got, to);
    bool good = from && to && !ferror(from) && !ferror(to);
    if (from)
        fclose(from);
    if (to)
        fclose(to);
    return good ? 0 : error_set(error, ERROR_INPUT, "%s: cannot be read", kept.schedule);
}

static int prepare(struct replay_outcome *outcome, struct watch *watch, struct replay_paths *paths,
                   const struct history *history, const struct finding *finding,
                   const struct replay_manner *manner, struct error *error)
{
    char id[FINDING_ID_SIZE];
    finding_id(finding, history->trace, id);
    if (replay_paths_make(paths, history, manner->name ? manner->name : id, manner->lane, error))
        return -1;
    const char *kept = finding->via[0] ? finding->via : id;
    if (manner->kept && (manner->lane || finding->via[0]) && copy_kept(paths, history, kept, error))
        return -1;
    if (!manner->kept && replay_write_schedule(paths->schedule, history, finding, manner->detail,
                                               manner->first, &outcome->ordered_accesses, error))
        return -1;
    return replay_read_schedule(paths->schedule, history, finding, watch, error) ||
                   watch_open(watch, paths->control, false, error)
               ? -1
               : 0;
}

static void look_back(struct replay_outcome *outcome, struct watch *watch,
                      const struct replay_paths *paths, const struct replay_program *program,
                      const struct history *history, const struct finding *finding)
{
    char seen[REPLAY_PATH + sizeof program->process]; /* the trace of what was replayed */
    if (*program->process)
        snprintf(seen, sizeof seen, "%s/%s", paths->record, program->process);
    else
        snprintf(seen, sizeof seen, "%s", paths->record);
    bool race = finding_shape(finding) == FINDING_RACE;
    outcome->held = watch->control->state == CONTROL_REACHED && race && !finding->via[0];
    if (race || finding_shape(finding) == FINDING_MISUSE)
        detect(outcome, seen, finding_shape(finding));
    judge(outcome, watch, paths, seen, history, finding);
    tell_values(outcome, watch, history, finding);
    struct expected_step step = {.name = ""};
    if ((watch->control->state == CONTROL_DIVERGED || watch->control->targets_missed) &&
        expected_step_thread(&step, paths->schedule, watch->control->left_thread))
        note_left(outcome, &step, watch->control->left_index);
}

int replaying_run(struct replay_outcome *outcome, const struct replay_program *program,
                  const struct history *history, const struct finding *finding,
                  const struct replay_manner *manner, struct error *error)
{
    struct replay_paths paths;
    bool standard = manner->timeout <= 0;
    struct watch watch = {.kind = finding_shape(finding),
                          .timeout = standard ? replay_program_seconds(program) : manner->timeout,
                          .may_take_longer = standard,
                          .own_processes = sandbox_own_processes(program->sandbox),
                          .recorded = program->seconds,
                          .recorded_cpu = program->processor_seconds,
                          .stops_at_error = manner->stops_at_error,
                          .runs_on = !manner->stops_at_error,
                          .happens_anyway = finding_shape(finding) == FINDING_RACE &&
                                            finding->verdict == VERDICT_OBSERVED};
    *outcome = (struct replay_outcome){0};
    if (prepare(outcome, &watch, &paths, history, finding, manner, error))
        return -1;
    int result = run_program(&watch, program, &paths, outcome, error);
    if (!result)
        look_back(outcome, &watch, &paths, program, history, finding);
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
    run_ending_free(&outcome->ending);
    *outcome = (struct replay_outcome){0};
}
