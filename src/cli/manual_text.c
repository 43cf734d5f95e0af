/* SPDX-License-Identifier: MIT */
#include "cli/manual_text.h"

/* --- what commands share ---------------------------------------------------------- */

enum exits {
    EXITS_OK = 1u << 0,
    EXITS_CONFIRMED = 1u << 1,
    EXITS_ACCEPTED = 1u << 2,
    EXITS_WORKS = 1u << 3,
    EXITS_PROGRAM = 1u << 4,
    EXITS_COMPILER = 1u << 5,
    EXITS_FINDINGS = 1u << 6,
    EXITS_INCOMPLETE = 1u << 7,
    EXITS_STOPPED = 1u << 8,
    EXITS_USAGE = 1u << 9,
    EXITS_INPUT = 1u << 10,
    EXITS_OWN = 1u << 11,
    EXITS_ERRORS = EXITS_USAGE | EXITS_INPUT | EXITS_OWN,
};

const struct manual_item manual_exits[] = {
    {"0", "nothing was found, or the command did what it should"},
    {"0, 1", "every finding was confirmed; one was not"},
    {"0, 1", "every witness is accepted; one is not, and the broken rule is named"},
    {"0, 1", "everything needed works here; something is missing"},
    {"N", "the code that the program returned, if none of the others applies"},
    {"N", "the code that the compiler returned"},
    {"66", "there are findings (--exit-code chooses another code). Advice and candidates that no "
           "replay has confirmed do not count"},
    {"67", "nothing was found, but the recording or the analysis is incomplete; it is said why"},
    {"124", "nothing was found, and the program had to be stopped: it hung, or --stop-after"},
    {"2", "wrong usage; the program was not run"},
    {"3", "bad input: no trace, or a malformed one, with the place and the reason"},
    {"4", "a failure of preplay itself, such as a full disk"},
    {0},
};

enum files {
    FILES_DATA = 1u << 0,
    FILES_LATEST = 1u << 1,
    FILES_FINDINGS = 1u << 2,
    FILES_REPLAYS = 1u << 3,
    FILES_HEADER = 1u << 4,
    FILES_RUNTIME = 1u << 5,
    FILES_TRACE = FILES_DATA | FILES_LATEST | FILES_FINDINGS,
};

const struct manual_item manual_files[] = {
    {"preplay.data/PROGRAM-N", "one recording; the newest five of a program are kept"},
    {"preplay.data/latest", "a link to the newest recording: what TRACE is if none is named"},
    {"TRACE/findings.json", "what was found in it, and what replays showed"},
    {"TRACE/replays/ID.schedule", "the schedule under which a finding is replayed"},
    {"PREFIX/include/preplay/preplay.h", "annotations for programs: atomic blocks, own locks"},
    {"PREFIX/lib/preplay/libpreplay.so", "the runtime that records, inside the program"},
    {0},
};

enum variables {
    VARIABLES_OPTIONS = 1u << 0,
    VARIABLES_COLOUR = 1u << 1,
    VARIABLES_COMPILER = 1u << 2,
    VARIABLES_TEMPORARY = 1u << 3,
    VARIABLES_DEBUGINFOD = 1u << 4,
    VARIABLES_RUNTIME = 1u << 5,
    VARIABLES_CC = 1u << 6,
    VARIABLES_MPI = 1u << 7,
    VARIABLES_USUAL = VARIABLES_OPTIONS | VARIABLES_COLOUR,
    VARIABLES_RUNS = VARIABLES_USUAL | VARIABLES_TEMPORARY | VARIABLES_DEBUGINFOD | //
                     VARIABLES_RUNTIME,
};

const struct manual_item manual_variables[] = {
    {"PREPLAY_OPTIONS", "long options for every command, as in \"jobs=2:all\"; those that a "
                        "command does not have are left out, those of the command line win"},
    {"NO_COLOR", "if it is not empty, no colour on a terminal"},
    {"PREPLAY_CC, PREPLAY_CXX", "the compilers to call; otherwise gcc, and the C++ compiler that "
                                "belongs to PREPLAY_CC"},
    {"TMPDIR", "where the copies are that replays change instead of the user's files; otherwise "
               "/var/tmp"},
    {"DEBUGINFOD_URLS", "servers that --debuginfod asks"},
    {"PREPLAY_LIBRARY", "the directory with libpreplay.so, if it is not beside the tool"},
    {"CC", "the compiler for --run; otherwise cc"},
    {"PREPLAY_MPI", "0: share no work, also below mpirun"},
    {0},
};

/* --- the models ------------------------------------------------------------------- */

const char *const manual_about_models =
    "A schedule is a correct reordering of the recorded run if each thread does a part of what it "
    "did, in its order, if locks, conditions, barriers and so on work as they do, and if memory "
    "keeps what the model asks. The less it asks, the more is found, and the more of it may not "
    "happen in fact. The engine auto tries the strictest first, and says of each finding by which "
    "model it was found.";

const struct manual_item manual_models[] = {
    {"rf", "each read sees the same write as in the recorded run. Whatever the program does with "
           "what it reads, it does again: what is found is real"},
    {"value", "each read returns the same value, perhaps from another write: two threads that "
              "both write 1 may change places. Real as well; needs --values (without, it is rf)"},
    {"branch", "only reads that a later branch of the same thread may depend on keep their values: "
               "a statistic that nobody looks at may be any number. Real as well; needs a program "
               "built with --branches and recorded with --branches"},
    {"sync", "reads may return anything. Finds the most, but the flag that a thread waits for in "
             "a loop is nothing to it: candidates, which a replay confirms or refutes"},
    {0},
};

/* --- the commands ----------------------------------------------------------------- */

const struct manual_text manual_texts[COMMAND_COUNT] = {
    [COMMAND_RUN] =
        {.description =
             "Records one run of PROGRAM, works out which data races, deadlocks and atomicity "
             "violations other schedules of the same run would hit, replays each, and reports: "
             "preplay record, predict, replay and report in one.\n\n"
             "PROGRAM is to be built with preplay cc, or with -fsanitize=thread. Others can be "
             "recorded with --sync-only or --valgrind. It may be a script or make: every "
             "instrumented program that it starts is recorded, and all of them make one "
             "report.\n\nWhere a check needs a false positive to be impossible, count on "
             "observed and confirmed findings: they happened, in the recorded run or in two "
             "replays.",
         .examples = {{"preplay run ./prog input.txt", "record, predict, replay and report"},
                      {"preplay run --html report.html ./prog",
                       "the same, with a page to attach to a bug report"},
                      {"preplay run -q --sarif found.sarif --baseline known.json -- make check",
                       "in continuous integration: every test, and only what is new"},
                      {"preplay run --stop-after 10 ./server",
                       "a program that does not end by itself"},
                      {"preplay run --sync-only /usr/bin/pigz file",
                       "deadlocks of a program as it is"}},
         .exits = EXITS_FINDINGS | EXITS_INCOMPLETE | EXITS_STOPPED | EXITS_PROGRAM | EXITS_ERRORS,
         .files = FILES_TRACE | FILES_REPLAYS,
         .variables = VARIABLES_RUNS | VARIABLES_MPI},
    [COMMAND_RECORD] =
        {.description =
             "Runs PROGRAM and keeps what its threads do to each other: every operation that "
             "synchronises, and the accesses to memory that threads share. Output, exit code and "
             "signals are the program's own. What has been recorded survives a crash.",
         .examples = {{"preplay record ./prog", "into preplay.data/prog-1 (prog-2, ...)"},
                      {"preplay record -d trace --values ./prog",
                       "into trace, with the values read and written"},
                      {"preplay record --online ./server",
                       "analyse while it runs, and say at once what is found"}},
         .exits = EXITS_FINDINGS | EXITS_STOPPED | EXITS_PROGRAM | EXITS_ERRORS,
         .files = FILES_DATA | FILES_LATEST,
         .variables = VARIABLES_OPTIONS | VARIABLES_RUNTIME},
    [COMMAND_PREDICT] =
        {.description =
             "Finds what other schedules of a recorded run would hit, without running the program. "
             "Each finding of a sound engine has a schedule into the error, which an independent "
             "checker has accepted; preplay replay carries it out. Several TRACEs make one report. "
             "Below MPI (mpirun -n 4 preplay predict TRACE...) the ranks share the work, and print "
             "what one process would.\n\nTRACE is a recording, a .std file (RAPID's format) or a "
             ".tiddle file.",
         .examples = {{"preplay predict", "the newest recording, with the standard engine"},
                      {"preplay predict -e wcp,syncp trace.std",
                       "two engines of the field on a trace in RAPID's format"},
                      {"preplay predict -m sync --all trace",
                       "the most that might be there, candidates and all"},
                      {"preplay predict -j 4 --json found.json trace",
                       "four candidates at a time, and the findings as JSON"}},
         .exits = EXITS_OK | EXITS_FINDINGS | EXITS_INCOMPLETE | EXITS_ERRORS,
         .files = FILES_TRACE | FILES_REPLAYS,
         .variables = VARIABLES_USUAL | VARIABLES_DEBUGINFOD | VARIABLES_MPI},
    [COMMAND_ENGINES] =
        {.description = "Tells of each engine what it finds, what it promises (sound, complete, "
                        "under which model) and which paper it comes from.",
         .examples = {{"preplay engines", "the list"}},
         .exits = EXITS_OK | EXITS_USAGE,
         .variables = VARIABLES_OPTIONS},
    [COMMAND_COMPARE] =
        {.description =
             "Runs several engines over one trace and prints a row for each error: x reports it, "
             ". misses it, ! reports what is not true, - need not report it. Where the trace is "
             "small, every correct reordering is visited as well, and the column truth says under "
             "which model the error is true.",
         .examples = {{"preplay compare examples/hidden-race.std", "all engines, with the truth"},
                      {"preplay compare -e hb,syncp,auto trace", "three of them on a recording"}},
         .exits = EXITS_OK | EXITS_FINDINGS | EXITS_ERRORS,
         .files = FILES_DATA | FILES_LATEST,
         .variables = VARIABLES_USUAL | VARIABLES_DEBUGINFOD},
    [COMMAND_CHECK] =
        {.description =
             "Judges a witness: whether it is a correct reordering of TRACE under the model that "
             "ends in its error. The checker shares no code with the searches, and every reported "
             "witness has passed it already. WITNESS is a file: findings as JSON, or the "
             "positions of events, the last two of which race.",
         .examples = {{"preplay check trace trace/findings.json",
                       "the witnesses of all findings of a recording"},
                      {"preplay check -m sync trace trace/findings.json",
                       "the same, where reads may return anything"}},
         .exits = EXITS_ACCEPTED | EXITS_ERRORS,
         .files = FILES_DATA | FILES_FINDINGS,
         .variables = VARIABLES_OPTIONS},
    [COMMAND_CONVERT] =
        {.description =
             "Writes a trace for other tools: std (RAPID and its kin), tiddle (a small language, "
             "which preplay tiddle makes programs of), csv, cspm (FDR), smt2 (an SMT solver, the "
             "query of one pair) and perfetto (a picture for ui.perfetto.dev and "
             "chrome://tracing).",
         .examples = {{"preplay convert --to std trace -o trace.std", "for RAPID"},
                      {"preplay convert --to perfetto -o trace.json",
                       "the newest recording as a picture"},
                      {"preplay convert --to smt2 --pair 4,9 trace -o pair.smt2",
                       "whether events 4 and 9 race, as a question for a solver"}},
         .exits = EXITS_OK | EXITS_ERRORS,
         .files = FILES_DATA | FILES_LATEST,
         .variables = VARIABLES_OPTIONS | VARIABLES_DEBUGINFOD},
    [COMMAND_INFO] = {.description =
                          "Counts what is in a trace: events by their kinds, threads and objects; "
                          "with --contention, which locks are waited for, and where.",
                      .examples = {{"preplay info", "of the newest recording"},
                                   {"preplay info --contention trace",
                                    "and where its threads waited"}},
                      .exits = EXITS_OK | EXITS_ERRORS,
                      .files = FILES_DATA | FILES_LATEST,
                      .variables = VARIABLES_OPTIONS},
    [COMMAND_DUMP] = {.description =
                          "Prints every event of a trace, one a line, in the observed order: "
                          "position, thread and index, operation, object, place in the source.",
                      .examples = {{"preplay dump", "the newest recording"},
                                   {"preplay dump trace | grep T0.2", "what one thread did"}},
                      .exits = EXITS_OK | EXITS_ERRORS,
                      .files = FILES_DATA | FILES_LATEST,
                      .variables = VARIABLES_OPTIONS | VARIABLES_DEBUGINFOD},
    [COMMAND_REPLAY] =
        {.description =
             "Runs the recorded program again under the schedule of each finding (of those named "
             "by ID, or all), and says what happened: confirmed, diverged, unreached or timeout. "
             "An ID may be shortened. Replays work apart from the user's files, in namespaces of "
             "their own.\n\nWith --gdb or --lldb the program stands at the error, in a debugger, "
             "as often as "
             "you like. TRACE/process-1 replays a forked child.",
         .examples = {{"preplay replay", "all findings of the newest recording"},
                      {"preplay replay trace r-1f3a9c20b7", "one of them"},
                      {"preplay replay -n 100 trace r-1f3a",
                       "a hundred times, to see whether it is reliable"},
                      {"preplay replay --gdb r-1f3a9c20b7", "stop in gdb, right before the error"}},
         .exits = EXITS_CONFIRMED | EXITS_ERRORS,
         .files = FILES_TRACE | FILES_REPLAYS,
         .variables = VARIABLES_RUNS},
    [COMMAND_EXPLORE] =
        {.description =
             "Runs PROGRAM again and again, each time under a schedule that leads to something no "
             "run has shown, until there is none left: then every behaviour of the program on this "
             "input was covered. A failure is a crash, an abort, misused memory, a hang, another "
             "exit code, or what --check says. The program must be built with preplay cc.",
         .examples = {{"preplay explore ./prog", "for a minute at most"},
                      {"preplay explore --time 0 --preemptions 2 ./prog",
                       "to the end, with two preemptions at most"},
                      {"preplay explore --until-failure --check 'grep -q total=10' ./prog",
                       "until the output is wrong"}},
         .exits = EXITS_OK | EXITS_FINDINGS | EXITS_INCOMPLETE | EXITS_ERRORS,
         .files = FILES_TRACE,
         .variables = VARIABLES_RUNS},
    [COMMAND_REPORT] =
        {.description =
             "Tells again what was found in a trace: as text for a terminal, as JSON, as SARIF for "
             "code scanning, as JUnit XML, as GitLab's code quality, or as one HTML page that "
             "works without a network. What is one cause is one finding, with its places below "
             "it.",
         .examples = {{"preplay report", "the newest recording's findings as text"},
                      {"preplay report --html -o report.html trace", "as a page"},
                      {"preplay report --max-findings 0 --all trace",
                       "everything, also candidates, and all places of each"},
                      {"preplay report --json -o known.json", "for a later --baseline"}},
         .exits = EXITS_OK | EXITS_FINDINGS | EXITS_INCOMPLETE | EXITS_ERRORS,
         .files = FILES_TRACE,
         .variables = VARIABLES_USUAL | VARIABLES_DEBUGINFOD},
    [COMMAND_MERGE] =
        {.description =
             "Joins the findings of many runs: JSON files, recordings or directories of them. What "
             "several runs found is there once, with the number of runs that saw it.",
         .examples = {{"preplay merge preplay.data", "all recordings below a directory, as text"},
                      {"preplay merge --junit -o report.xml preplay.data/*",
                       "at the end of a test suite, for continuous integration"}},
         .exits = EXITS_OK | EXITS_FINDINGS | EXITS_ERRORS,
         .files = FILES_FINDINGS,
         .variables = VARIABLES_USUAL},
#define COMPILING(word, other)                                                                     \
    "Calls the compiler with all arguments as they are, adds -g and -fsanitize=thread, and links " \
    "Preplay's runtime in the place of ThreadSanitizer's. A program that was built so does "       \
    "nothing else than before, unless preplay runs it.\n\n" word                                   \
    " is the same in one word, for CMake, Meson, configure and make; see preplay " other           \
    " for the other language. Compile and link with it. -static is refused: the runtime is a "     \
    "shared library. It may be used with or without optimisation; with -O1 or -O2 programs are "   \
    "faster, and places a little less exact.\n\nAny argument besides a lone --help goes to the "   \
    "compiler, also --version. preplay/preplay.h is found without an -I."
    [COMMAND_CC] =
        {.description = COMPILING("preplay-cc", "c++"),
         .options = {{"--branches", "instrument branches as well, for preplay record --branches "
                                    "and the model branch"}},
         .examples = {{"preplay cc -g -O1 -pthread prog.c -o prog", "one program"},
                      {"make CC=preplay-cc", "a project with a Makefile"},
                      {"CC=preplay-cc CXX=preplay-c++ ./configure", "with autotools"},
                      {"CC=preplay-cc meson setup build", "with Meson"},
                      {"cmake -DCMAKE_C_COMPILER=preplay-cc -S . -B build", "with CMake"},
                      {"PREPLAY_CC=clang preplay cc -g -pthread prog.c", "another compiler"}},
         .exits = EXITS_COMPILER | EXITS_USAGE | EXITS_OWN,
         .files = FILES_HEADER | FILES_RUNTIME,
         .variables = VARIABLES_COMPILER | VARIABLES_RUNTIME},
    [COMMAND_CXX] =
        {.description = COMPILING("preplay-c++", "cc"),
         .options = {{"--branches", "instrument branches as well, for preplay record --branches "
                                    "and the model branch"}},
         .examples = {{"preplay c++ -g -O1 -pthread prog.cpp -o prog", "one program"},
                      {"make CXX=preplay-c++", "a project with a Makefile"},
                      {"cmake -DCMAKE_CXX_COMPILER=preplay-c++ -S . -B build", "with CMake"},
                      {"PREPLAY_CXX=clang++ preplay c++ -g -pthread prog.cpp", "another compiler"}},
         .exits = EXITS_COMPILER | EXITS_USAGE | EXITS_OWN,
         .files = FILES_HEADER | FILES_RUNTIME,
         .variables = VARIABLES_COMPILER | VARIABLES_RUNTIME},
    [COMMAND_MANUAL] =
        {.description = "Prints the man page of COMMAND, or of preplay itself, in the format that "
                        "scdoc(1) reads. An installed preplay has them for man(1).",
         .examples = {{"preplay manual run", "read it as it is"},
                      {"preplay manual run | scdoc | man -l -", "as a page, uninstalled"}},
         .exits = EXITS_OK | EXITS_USAGE,
         .variables = VARIABLES_OPTIONS},
    [COMMAND_COMPLETION] = {.description =
                                "Prints a script that teaches a shell the commands and options. An "
                                "installed preplay has put it where shells look.",
                            .examples = {{"source <(preplay completion bash)", "in this shell"}},
                            .exits = EXITS_OK | EXITS_USAGE,
                            .variables = VARIABLES_OPTIONS},
    [COMMAND_DOCTOR] =
        {.description = "Tries on this machine what preplay needs (compilers, the runtime, room "
                        "for temporary files, /proc, ptrace, namespaces, gdb), and says of what is "
                        "missing what to do about it.",
         .examples = {{"preplay doctor", "before a bug report, or in a new container"}},
         .exits = EXITS_WORKS | EXITS_USAGE,
         .variables =
             VARIABLES_OPTIONS | VARIABLES_COMPILER | VARIABLES_TEMPORARY | VARIABLES_RUNTIME},
    [COMMAND_TIDDLE] =
        {.description =
             "Turns a trace into a C program that performs exactly this order at every run; lists "
             "the traces that are equivalent to it; makes random ones; cuts a finding out of a "
             "large recording. FILE is a .tiddle file, one operation a line (rd 1 x, acq 2 m), or "
             "a .std file. A .tiddle file that begins with the word program says what each thread "
             "does, with conditions and assertions, in any order: it becomes a C program, too.",
         .examples = {{"preplay tiddle deposit.tiddle -o deposit.c", "the program"},
                      {"preplay tiddle --run deposit.tiddle", "compile it and run it"},
                      {"preplay tiddle --equivalent deposit.tiddle",
                       "all traces that mean the same"},
                      {"preplay tiddle --from trace r-1f3a9c20b7",
                       "the smallest trace that shows this finding"},
                      {"preplay tiddle --random --seed 7", "a new trace"}},
         .exits = EXITS_OK | EXITS_ERRORS,
         .files = FILES_DATA,
         .variables = VARIABLES_OPTIONS | VARIABLES_TEMPORARY | VARIABLES_CC},
};
