/* SPDX-License-Identifier: MIT */
/* The one table of options: it drives parsing, PREPLAY_OPTIONS, --help, range
 * checks, completions and man pages. To add an option, add a row.
 *
 *   O(kind, field, "name", 'c' or 0, "VALUE", commands, least, most, standard, "help")
 *
 * kind FLAG has no value; COUNT a whole number; PERHAPS one that may be left out
 * (`most` then; 0 without the option); BYTES a number with K, M or G;
 * SECONDS a number of seconds; TEXT any string. `standard` is the value without
 * the option (TEXT: NULL is always its standard; `least` and `most` bound numbers).
 * `commands` are the subcommands that know it. OPTION_UNSAID as `standard` is no number: the
 * help says what it stands for. */
#ifndef PREPLAY_CLI_OPTIONS_H
#define PREPLAY_CLI_OPTIONS_H

#include "base/error.h"
#include "target/trace_lock.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* C(NAME, "name", function, "synopsis", "summary", raw) - raw commands get their
 * arguments unparsed. */
#define COMMAND_TABLE(C)                                                                           \
    C(RUN, "run", cmd_run, "[OPTIONS] [--] PROGRAM [ARG...]",                                      \
      "record a program, predict, replay what was predicted, report", true)                        \
    C(PREDICT, "predict", cmd_predict, "[OPTIONS] [TRACE...]",                                     \
      "find what other schedules of recorded runs would hit", false)                               \
    C(ENGINES, "engines", cmd_engines, "", "what each engine finds, promises and comes from",      \
      false)                                                                                       \
    C(COMPARE, "compare", cmd_compare, "[OPTIONS] [TRACE]",                                        \
      "engines side by side, a row a finding", false)                                              \
    C(CHECK, "check", cmd_check, "[-m MODEL] TRACE WITNESS", "the witness checker on its own",     \
      false)                                                                                       \
    C(CONVERT, "convert", cmd_convert, "--to FORMAT [TRACE] [-o FILE]",                            \
      "write a trace in another format", false)                                                    \
    C(INFO, "info", cmd_info, "[TRACE]", "counts per kind, thread and object", false)              \
    C(DUMP, "dump", cmd_dump, "[TRACE]", "every event as text", false)                             \
    C(RECORD, "record", cmd_record, "[OPTIONS] [--] PROGRAM [ARG...]",                             \
      "run a program and record what its threads do", true)                                        \
    C(REPLAY, "replay", cmd_replay, "[OPTIONS] [TRACE] [ID...]",                                   \
      "run the program again under a predicted schedule", false)                                   \
    C(EXPLORE, "explore", cmd_explore, "[OPTIONS] [--] PROGRAM [ARG...]",                          \
      "run every behaviour of a program on this input, and find its failures", true)               \
    C(REPORT, "report", cmd_report, "[OPTIONS] [TRACE]",                                           \
      "what was found in a trace, as text, JSON, SARIF or HTML", false)                            \
    C(MERGE, "merge", cmd_merge, "[OPTIONS] REPORT...", "the findings of many runs as one report", \
      false)                                                                                       \
    C(CC, "cc", cmd_cc, "[--branches] [COMPILER ARGS]",                                            \
      "compile and link a C program for preplay", true)                                            \
    C(CXX, "c++", cmd_cxx, "[--branches] [COMPILER ARGS]",                                         \
      "compile and link a C++ program for preplay", true)                                          \
    C(MANUAL, "manual", cmd_manual, "[COMMAND]", "a man page, as scdoc reads it", false)           \
    C(COMPLETION, "completion", cmd_completion, "bash|zsh|fish", "completions for a shell", false) \
    C(DOCTOR, "doctor", cmd_doctor, "", "what works on this machine, and what to do", false)       \
    C(TIDDLE, "tiddle", cmd_tiddle, "FILE|--random|--from TRACE ID [-o OUT.c] [OPTIONS]",          \
      "a trace as a C program, its equivalent traces, new traces", false)

struct deal;
struct observer;

#define OPTION_UNSAID UINT64_MAX

enum command_id {
#define C(id, name, function, synopsis, summary, raw) COMMAND_##id,
    COMMAND_TABLE(C)
#undef C
        COMMAND_COUNT
};

#define IN(id) (1u << COMMAND_##id)

/* Those that show where in the source something is. */
#define SYMBOLISING                                                                                \
    (IN(RUN) | IN(RECORD) | IN(PREDICT) | IN(COMPARE) | IN(REPLAY) | IN(REPORT) | IN(DUMP) |       \
     IN(CONVERT) | IN(TIDDLE) | IN(EXPLORE))

#define OPTION_TABLE(O)                                                                            \
    O(TEXT, directory, "directory", 'd', "DIR", IN(RUN) | IN(RECORD) | IN(EXPLORE), 0, 0, 0,       \
      "where the trace goes (a new preplay.data/PROGRAM-N)")                                       \
    O(COUNT, keep, "keep", 0, "N", IN(RUN) | IN(RECORD) | IN(EXPLORE), 0, UINT32_MAX, 5,           \
      "keep so many recordings of a program in preplay.data (0: all)")                             \
    O(BYTES, keep_size, "keep-size", 0, "SIZE", IN(RUN) | IN(RECORD) | IN(EXPLORE), 0, UINT64_MAX, \
      UINT64_C(16) << 30, "remove the oldest while preplay.data is larger (0: never)")             \
    O(FLAG, sync_only, "sync-only", 0, "", IN(RUN) | IN(RECORD), 0, 1, 0,                          \
      "any program, unchanged: record synchronisation alone (no races)")                           \
    O(FLAG, valgrind, "valgrind", 0, "", IN(RUN) | IN(RECORD), 0, 1, 0,                            \
      "any program, unchanged: record everything, inside Valgrind (slow)")                         \
    O(COUNT, switch_every, "switch-every", 0, "N", IN(RUN) | IN(RECORD), 0, UINT32_MAX, 32,        \
      "with --valgrind: one in N synchronisation operations lets another thread run (0: none)")    \
    O(FLAG, values, "values", 0, "", IN(RUN) | IN(RECORD), 0, 1, 0,                                \
      "record the values read and written")                                                        \
    O(FLAG, branches, "branches", 0, "", IN(RUN) | IN(RECORD), 0, 1, 0,                            \
      "record branches (of code compiled with preplay cc --branches)")                             \
    O(FLAG, blocks, "blocks", 0, "", IN(RUN) | IN(RECORD), 0, 1, 0,                                \
      "record every function as an atomic block")                                                  \
    O(BYTES, max_trace, "max-trace", 0, "SIZE", IN(RUN) | IN(RECORD), 0, UINT64_MAX,               \
      OPTION_UNSAID,                                                                               \
      "stop recording when a process's trace has this size (a quarter of the free disk; 0: none)") \
    O(TEXT, no_env, "no-env", 0, "GLOB,...", IN(RUN) | IN(RECORD), 0, 0, 0,                        \
      "variables of the environment not to keep, besides those named like secrets ('': keep all)") \
    O(BYTES, keep_files, "keep-files", 0, "SIZE", IN(RUN) | IN(RECORD), 0, UINT64_MAX,             \
      (uint64_t)1 << 30,                                                                           \
      "files that the program changes are kept for replays, all together up to this size (1G)")    \
    O(SECONDS, stop_after, "stop-after", 0, "SECONDS", IN(RUN) | IN(RECORD), 0, 1000000, 0,        \
      "end the program when it has run so long (0: never), and go on with what it did")            \
    O(FLAG, online, "online", 0, "", IN(RECORD), 0, 1, 0,                                          \
      "analyse while the program runs, and say what is found as it is found")                      \
    O(COUNT, times, "times", 'n', "N", IN(REPLAY), 1, 1000000, 1, "replay each finding N times")   \
    O(SECONDS, timeout, "timeout", 0, "SECONDS", IN(RUN) | IN(REPLAY), 0, 1000000, 0,              \
      "limit of one replay (0: ten times the recorded run, at least 10 s)")                        \
    O(COUNT, max_replays, "max-replays", 0, "N", IN(RUN), 0, UINT32_MAX, 1000,                     \
      "replay at most so many times (0: do not replay)")                                           \
    O(SECONDS, budget, "budget", 0, "SECONDS", IN(RUN), 0, 1000000, 0,                             \
      "limit of all replays together (0: for those that show nothing, 5 times the recorded run, "  \
      "at least 5 s)")                                                                             \
    O(COUNT, runs, "runs", 0, "N", IN(EXPLORE), 0, UINT32_MAX, 0,                                  \
      "run the program at most so often (0: no limit)")                                            \
    O(SECONDS, explore_time, "time", 0, "SECONDS", IN(EXPLORE), 0, 1000000, 60,                    \
      "explore for so long (0: to the end)")                                                       \
    O(COUNT, preemptions, "preemptions", 0, "K", IN(EXPLORE), 0, UINT32_MAX - 1, OPTION_UNSAID,    \
      "only schedules that stop a thread that could go on at most K times (all schedules)")        \
    O(SECONDS, goes_exploring, "explore", 0, "SECONDS", IN(RUN), 0, 1000000, 0,                    \
      "then explore its other behaviours for so long (0: do not), as preplay explore does")        \
    O(FLAG, until_failure, "until-failure", 0, "", IN(EXPLORE), 0, 1, 0,                           \
      "stop at the first failure")                                                                 \
    O(TEXT, check_command, "check", 0, "COMMAND", IN(EXPLORE), 0, 0, 0,                            \
      "after each run, in its directory, with its output as input: if it fails, so did the run")   \
    O(FLAG, same_output, "expect-same-output", 0, "", IN(EXPLORE), 0, 1, 0,                        \
      "a run that prints something else than the first good one has failed")                       \
    O(FLAG, trust, "trust", 0, "", IN(REPLAY), 0, 1, 0,                                            \
      "run what another user recorded, or a program that was built again since")                   \
    O(FLAG, fine, "fine", 0, "", IN(REPLAY), 0, 1, 0,                                              \
      "order all accesses through which threads see each other's writes")                          \
    O(FLAG, in_place, "in-place", 0, "", IN(RUN) | IN(REPLAY) | IN(EXPLORE), 0, 1, 0,              \
      "replays work on the user's own files, ports and processes, not apart from them")            \
    O(FLAG, live_inputs, "live-inputs", 0, "", IN(RUN) | IN(REPLAY), 0, 1, 0,                      \
      "replays get the time, random bytes and a process id of their own, not the recorded run's")  \
    O(FLAG, gdb, "gdb", 0, "", IN(REPLAY), 0, 1, 0,                                                \
      "start gdb with the program stopped at the error")                                           \
    O(FLAG, lldb, "lldb", 0, "", IN(REPLAY), 0, 1, 0,                                              \
      "start lldb with the program stopped at the error")                                          \
    O(TEXT, engines, "engine", 'e', "NAME,...", IN(RUN) | IN(RECORD) | IN(PREDICT) | IN(COMPARE),  \
      0, 0, 0, "engines to run (predict: auto; compare: all; record --online: tlh,happened)")      \
    O(TEXT, model, "model", 'm', "MODEL",                                                          \
      IN(RUN) | IN(RECORD) | IN(PREDICT) | IN(COMPARE) | IN(CHECK) | IN(CONVERT), 0, 0, 0,         \
      "what memory must keep: rf, value, branch or sync")                                          \
    O(COUNT, window, "window", 0, "N", IN(RUN) | IN(PREDICT) | IN(COMPARE), 0, UINT32_MAX,         \
      OPTION_UNSAID,                                                                               \
      "analyse windows of N events (0: the whole trace, as without it; csp then: 10000)")          \
    O(FLAG, pairs, "pairs", 0, "", IN(RUN) | IN(RECORD) | IN(PREDICT) | IN(COMPARE), 0, 1, 0,      \
      "one finding per pair of events, not of source locations")                                   \
    O(FLAG, per_pair, "per-pair", 0, "", IN(PREDICT) | IN(COMPARE) | IN(CONVERT), 0, 1, 0,         \
      "csp, cspm: one check per thread pair instead of one per object")                            \
    O(TEXT, atomic, "atomic", 0, "GLOB,...", IN(RUN) | IN(PREDICT) | IN(COMPARE), 0, 0, 0,         \
      "atomic blocks, by label or function (all but main and those that wait)")                    \
    O(COUNT, jobs, "jobs", 'j', "N",                                                               \
      IN(RUN) | IN(RECORD) | IN(REPORT) | IN(PREDICT) | IN(COMPARE) | IN(REPLAY) | IN(EXPLORE), 1, \
      1024, OPTION_UNSAID,                                                                         \
      "work on N things at a time; the result does not depend on it (1; replays: as many as "      \
      "processors are free)")                                                                      \
    O(COUNT, steps, "steps", 0, "N", IN(RUN) | IN(REPORT) | IN(PREDICT) | IN(COMPARE), 0,          \
      UINT64_MAX, 0, "search steps a candidate may take (0: the engine's own limit)")              \
    O(SECONDS, pair_timeout, "pair-timeout", 0, "SECONDS", IN(RUN) | IN(PREDICT) | IN(COMPARE), 0, \
      1000000, 0, "smt: time limit of the solver for a pair (0: only --steps)")                    \
    O(TEXT, list, "list", 0, "FILE", IN(PREDICT), 0, 0, 0,                                         \
      "more TRACEs, a path a line; - is standard input")                                           \
    O(FLAG, resume, "resume", 0, "", IN(PREDICT), 0, 1, 0,                                         \
      "go on from what an earlier call that was ended left in the trace directory")                \
    O(FLAG, no_times, "no-times", 0, "", IN(PREDICT), 0, 1, 0,                                     \
      "leave out of the output how long it took: the same trace, the same bytes")                  \
    O(TEXT, json_file, "json", 0, "FILE", IN(RUN) | IN(PREDICT) | IN(COMPARE) | IN(EXPLORE), 0, 0, \
      0, "write the findings as JSON; - is standard output")                                       \
    O(TEXT, sarif_file, "sarif", 0, "FILE", IN(RUN) | IN(EXPLORE), 0, 0, 0,                        \
      "write the findings as SARIF")                                                               \
    O(TEXT, html_file, "html", 0, "FILE", IN(RUN) | IN(EXPLORE), 0, 0, 0,                          \
      "write the findings as HTML")                                                                \
    O(TEXT, junit_file, "junit", 0, "FILE", IN(RUN) | IN(EXPLORE), 0, 0, 0,                        \
      "write the findings as JUnit XML: a failed test each")                                       \
    O(TEXT, code_quality_file, "code-quality", 0, "FILE", IN(RUN) | IN(EXPLORE), 0, 0, 0,          \
      "write the findings for GitLab's merge requests")                                            \
    O(FLAG, as_text, "text", 0, "", IN(REPORT) | IN(MERGE), 0, 1, 0, "write text (the standard)")  \
    O(FLAG, as_json, "json", 0, "", IN(REPORT) | IN(MERGE), 0, 1, 0, "write JSON")                 \
    O(FLAG, as_sarif, "sarif", 0, "", IN(REPORT), 0, 1, 0, "write SARIF 2.1.0")                    \
    O(FLAG, as_html, "html", 0, "", IN(REPORT), 0, 1, 0, "write one HTML page")                    \
    O(FLAG, as_junit, "junit", 0, "", IN(REPORT) | IN(MERGE), 0, 1, 0, "write JUnit XML")          \
    O(FLAG, as_code_quality, "code-quality", 0, "", IN(REPORT), 0, 1, 0,                           \
      "write what GitLab's merge requests show")                                                   \
    O(TEXT, suppressions, "suppressions", 0, "FILE", IN(RUN) | IN(REPORT) | IN(EXPLORE), 0, 0, 0,  \
      "findings not to report, in ThreadSanitizer's format")                                       \
    O(TEXT, baseline, "baseline", 0, "FILE", IN(RUN) | IN(REPORT) | IN(EXPLORE), 0, 0, 0,          \
      "report only what this earlier --json FILE does not have")                                   \
    O(FLAG, all, "all", 0, "", IN(RUN) | IN(REPORT) | IN(MERGE) | IN(PREDICT) | IN(COMPARE), 0, 1, \
      0, "also list candidates that no sound model supports")                                      \
    O(FLAG, advise, "advise", 0, "", IN(RUN) | IN(PREDICT), 0, 1, 0,                               \
      "also tell what is dubious, though no error: threads never joined, calls that fail, ...")    \
    O(FLAG, contention, "contention", 0, "", IN(INFO), 0, 1, 0,                                    \
      "also tell which locks are held longest and waited for longest, by place")                   \
    O(FLAG, quiet, "quiet", 'q', "",                                                               \
      IN(RUN) | IN(PREDICT) | IN(REPLAY) | IN(REPORT) | IN(COMPARE), 0, 1, 0,                      \
      "no line of progress; run: no text either, the exit code and other reports say it")          \
    O(COUNT, max_findings, "max-findings", 0, "N", IN(RUN) | IN(REPORT) | IN(EXPLORE), 0,          \
      UINT32_MAX, 20, "causes that text shows, and a few places of each (0: all of both)")         \
    O(TEXT, source_root, "source-root", 0, "DIR:...",                                              \
      IN(RUN) | IN(EXPLORE) | IN(REPORT) | IN(REPLAY), 0, 0, 0,                                    \
      "quote sources below these, besides those of the project that was built")                    \
    O(TEXT, debug_files, "debug-files", 0, "DIR:...", SYMBOLISING, 0, 0, 0,                        \
      "look for separate debug files here too, before /usr/lib/debug")                             \
    O(FLAG, debuginfod, "debuginfod", 0, "", SYMBOLISING, 0, 1, 0,                                 \
      "ask the servers in DEBUGINFOD_URLS for debug files")                                        \
    O(COUNT, exit_code, "exit-code", 0, "N",                                                       \
      IN(RUN) | IN(MERGE) | IN(RECORD) | IN(REPORT) | IN(PREDICT) | IN(COMPARE) | IN(EXPLORE), 0,  \
      255, 66, "exit code when there are findings")                                                \
    O(TEXT, to, "to", 0, "FORMAT", IN(CONVERT), 0, 0, 0,                                           \
      "the format to write: std, tiddle, csv, cspm, perfetto, or smt2 (the query of one pair)")    \
    O(TEXT, pair, "pair", 0, "A,B|ID", IN(CONVERT), 0, 0, 0,                                       \
      "smt2: which pair, by positions or by a finding's id (the first that may race)")             \
    O(TEXT, output, "output", 'o', "FILE", IN(REPORT) | IN(MERGE) | IN(CONVERT) | IN(TIDDLE), 0,   \
      0, 0, "where to write; - is standard output")                                                \
    O(TEXT, order, "order", 0, "HOW", IN(TIDDLE), 0, 0, 0,                                         \
      "the program keeps the order by: barrier (always), none, sleep or yield")                    \
    O(FLAG, lines, "lines", 0, "", IN(TIDDLE), 0, 1, 0,                                            \
      "the program has the trace's source locations (#line)")                                      \
    O(FLAG, run, "run", 0, "", IN(TIDDLE), 0, 1, 0, "compile the program and run it")              \
    O(FLAG, format, "format", 0, "", IN(TIDDLE), 0, 1, 0, "print the trace in its usual layout")   \
    O(FLAG, complete, "complete", 0, "", IN(TIDDLE), 0, 1, 0,                                      \
      "print the trace with the missing forks and joins")                                          \
    O(PERHAPS, equivalent, "equivalent", 0, "[N]", IN(TIDDLE), 1, UINT64_MAX, 0,                   \
      "all equivalent traces, or N at random; with -o OUT.c one program for all")                  \
    O(FLAG, count, "count", 0, "", IN(TIDDLE), 0, 1, 0, "how many traces are equivalent")          \
    O(COUNT, seed, "seed", 0, "N", IN(TIDDLE), 0, UINT64_MAX, 1, "what random choices begin with") \
    O(TEXT, from, "from", 0, "TRACE", IN(TIDDLE), 0, 0, 0,                                         \
      "cut the finding ID out of TRACE: the smallest trace that shows it")                         \
    O(FLAG, random, "random", 0, "", IN(TIDDLE), 0, 1, 0,                                          \
      "make a random trace instead of reading one")                                                \
    O(TEXT, shape, "shape", 0, "SHAPE", IN(TIDDLE), 0, 0, 0,                                       \
      "what --random makes: NAME[:setting,...], help lists them")                                  \
    O(COUNT, threads, "threads", 0, "N", IN(TIDDLE), 0, 1000, 0, "threads of a random trace")      \
    O(COUNT, events, "events", 0, "N", IN(TIDDLE), 0, 100000000, 0, "events of a random trace")    \
    O(COUNT, locks, "locks", 0, "N", IN(TIDDLE), 0, 1000000, 0, "locks of a random trace")         \
    O(COUNT, variables, "variables", 0, "N", IN(TIDDLE), 0, 1000000, 0,                            \
      "variables of a random trace")

struct options {
    enum command_id command;
#define O(kind, field, name, letter, value, commands, least, most, standard, help)                 \
    OPTION_TYPE_##kind field;
#define OPTION_TYPE_FLAG    bool
#define OPTION_TYPE_COUNT   uint64_t
#define OPTION_TYPE_PERHAPS uint64_t
#define OPTION_TYPE_BYTES   uint64_t
#define OPTION_TYPE_SECONDS double
#define OPTION_TYPE_TEXT    const char *
    OPTION_TABLE(O)
#undef O
    const char **arguments; /* what is not an option, in order; NULL-terminated */
    size_t argument_count;
    char trace[PATH_MAX];   /* the recording that TRACE means (trace_argument.h) */
    struct trace_lock lock; /* on it, to the end */
    bool jobs_said;         /* or else jobs is 1 */
    struct deal *deal;      /* processes that share the work (base/deal.h), or NULL */

    const struct observer *observer; /* told before prediction begins (engine/engine.h), or NULL */
};

/* Parses the words after the subcommand, on top of PREPLAY_OPTIONS. With
 * `program_follows`, the first word that is no option ends the options (the rest
 * is a program and its arguments). 0, or -1 with an ERROR_USAGE. */
int options_parse(struct options *options, enum command_id command, bool program_follows,
                  char **words, struct error *error);
void options_free(struct options *options);

const char *command_name(enum command_id command);
const char *command_synopsis(enum command_id command);
const char *command_summary(enum command_id command);

/* The options of a command, one a call, as far as a reader is concerned: false after
 * the last.    for (size_t at = 0; options_row(command, &at, &row);)  */
struct option_row {
    const char *name, *value, *help;
    char letter;
    uint64_t standard; /* 0 if it goes without saying */
};
bool options_row(enum command_id command, size_t *at, struct option_row *row);
/* What `preplay COMMAND --help` prints. */
void options_help(FILE *out, enum command_id command);

#endif
