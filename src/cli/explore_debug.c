/* SPDX-License-Identifier: MIT */
#include "cli/explore_debug.h"

#include "base/array.h"
#include "base/files.h"
#include "explore/witness_run.h"
#include "replay/gdb_commands.h"
#include "report/text.h"
#include "trace/schedule.h"
#include "trace/std_writer.h"
#include "trace/turns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct words ARRAY_OF(const char *);

static void write_event(FILE *file, const struct history *history, uint32_t pos)
{
    const struct event *event = &history->events[pos];
    fprintf(file, "  %-8s ", trace_name(history->trace, CLASS_THREAD, event->thread));
    std_write_operation(file, history->trace, event, report_safe_text);
    fprintf(file, "  %s\n", trace_location(history->trace, event->location));
}

static bool is_of(const struct finding *finding, uint32_t pos)
{
    for (uint32_t i = 0; i < finding->event_count; i++)
        if (finding->events[i].pos == pos)
            return true;
    return false;
}

/* Synchronisation, and what the error is made of: the rest is long. */
static void write_steps(FILE *file, const struct history *history, const struct finding *finding)
{
    uint32_t ends = finding->kind == FINDING_FAILURE ? 0 : finding_ends(finding);
    fputs("The schedule so far:\n", file);
    for (uint32_t i = 0; i + ends < finding->witness_length; i++) {
        uint32_t pos = finding->witness[i];
        if (op_in(history->events[pos].op, OPS_SCHEDULED) || is_of(finding, pos))
            write_event(file, history, pos);
    }
    fputs("Now about to happen:\n", file);
    for (uint32_t i = 0; i < finding->event_count; i++)
        write_event(file, history, finding->events[i].pos);
}

/* What the gdb command `preplay` shows. */
static int write_story(const char *path, const struct history *history,
                       const struct finding *finding, struct error *error)
{
    FILE *file = files_write(path);
    if (!file)
        return error_set(error, ERROR_INTERNAL, "%s: cannot be written: %s", path, strerror(errno));
    struct finding full = finding_in_full(finding, history);
    write_steps(file, history, &full);
    finding_full_free(&full, finding);
    return fclose(file) ? error_set(error, ERROR_INTERNAL, "%s: cannot be written", path) : 0;
}

static int write_script(const char *path, const char *story, const char *wrapper,
                        struct error *error)
{
    FILE *file = files_write(path);
    if (!file)
        return error_set(error, ERROR_INTERNAL, "%s: cannot be written: %s", path, strerror(errno));
    fprintf(file,
            "set pagination off\n"
            "set exec-wrapper %s\n"
            "set disable-randomization on\n"
            "set print thread-events off\n"
            "define preplay\n"
            "  shell cat '%s'\n"
            "  thread apply all backtrace 16\n"
            "end\n"
            "document preplay\n"
            "Shows the schedule that led here, and where every thread stands.\n"
            "end\n"
            "run\n"
            "echo \\nPreplay: the program stands at the error. The command preplay shows how it "
            "came here.\\n\n",
            wrapper, story);
    /* Last: a gdb without Python stops reading here, and has what stands above. */
    fputs("python\npreplay_story = \"", file);
    for (const char *at = story; *at; at++)
        fprintf(file, *at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
    fprintf(file, "\"\n%send\n", gdb_commands);
    return fclose(file) ? error_set(error, ERROR_INTERNAL, "%s: cannot be written", path) : 0;
}

static void add_words(struct words *words, const char *const *more)
{
    for (; more && *more; more++)
        array_push(words, *more);
}

/* gdb's words for tests come from PREPLAY_GDB. */
static int become(struct stepping *stepping, const struct failure_turns *turns, uint32_t traps,
                  const char *script, const char *const *command, struct error *error)
{
    struct words words = {0};
    char extra[1024];
    const char *wanted = getenv("PREPLAY_GDB");
    snprintf(extra, sizeof extra, "%s", wanted ? wanted : "");
    add_words(&words, (const char *const[]){"gdb", "-q", "-x", script, NULL});
    for (char *word = strtok(extra, " "); word; word = strtok(NULL, " "))
        array_push(&words, word);
    array_push(&words, "--args");
    add_words(&words, command);
    array_push(&words, NULL);
    fflush(stdout);
    int result = stepping_become(stepping, turns->items, turns->count, traps, words.items, error);
    array_free(&words);
    return result;
}

int explore_debug(const struct explored_run *part, const struct finding *finding,
                  const struct failure_turns *turns, struct stepping *stepping,
                  const char *const *command, const char *directory, struct error *error)
{
    char story[PATH_MAX], script[PATH_MAX], wrapper[4 * PATH_MAX];
    struct witness_run witness = {0};
    snprintf(story, sizeof story, "%.4000s/gdb-story", directory);
    snprintf(script, sizeof script, "%.4000s/gdb-script", directory);
    if (!stepping_wrapper(stepping, wrapper, sizeof wrapper))
        return error_set(error, ERROR_USAGE, "--gdb: LD_PRELOAD or LD_LIBRARY_PATH is too long");
    if (!turns && !witness_run_before(&witness, finding, &part->trace, &part->run))
        return error_set(error, ERROR_USAGE, "--gdb: the finding has no schedule");
    uint32_t traps = STEP_TRAP_END;
    if (finding->kind == FINDING_RACE || finding->kind == FINDING_ATOMICITY)
        traps |= STEP_TRAP_TURNS;
    int result =
        write_story(story, part->trace.history, finding, error) ||
                write_script(script, story, wrapper, error)
            ? -1
            : become(stepping, turns ? turns : &witness.turns, traps, script, command, error);
    witness_run_free(&witness);
    return result;
}
