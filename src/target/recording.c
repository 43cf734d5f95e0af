/* SPDX-License-Identifier: MIT */
#include "target/recording.h"

#include "base/files.h"
#include "base/memory.h"
#include "target/ending.h"
#include "target/left_behind.h"
#include "target/library.h"
#include "target/stream_space.h"
#include "target/trace_directory.h"
#include "target/valgrind.h"
#include "target/waiting.h"
#include "trace/hidden.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- the program --------------------------------------------------------------- */

static void prepend(const char *variable, const char *word, char separator)
{
    const char *old = getenv(variable);
    if (!old || !*old) {
        setenv(variable, word, 1);
        return;
    }
    size_t size = strlen(word) + strlen(old) + 2;
    char *joined = memory_alloc(size, 1);
    snprintf(joined, size, "%s%c%s", word, separator, old);
    setenv(variable, joined, 1);
    free(joined);
}

bool recording_preloads(const char *name)
{
    struct program_kind kind;
    return program_inspect(name, &kind) && !kind.wants_preplay && !kind.wants_libtsan &&
           !kind.static_runtime && (!kind.is_elf || kind.is_dynamic);
}

static void set_environment(const struct recording *recording, const char *directory,
                            const char *library)
{
    char path[LIBRARY_PATH + 32], options[128];
    setenv("PREPLAY_RECORD", directory, 1);
    snprintf(options, sizeof options, "%s%s%s%smax=%llu,keep=%llu",
             recording->schedule ? "" : "linger=1000,", recording->values ? "values," : "",
             recording->branches ? "branches," : "", recording->blocks ? "blocks," : "",
             (unsigned long long)recording->limit, (unsigned long long)recording->keep);
    setenv("PREPLAY_RECORD_OPTIONS", options, 1);
    if (recording->schedule || recording->hidden)
        setenv(HIDDEN_VARIABLE, recording->schedule ? "*" : recording->hidden, 1);
    else
        unsetenv(HIDDEN_VARIABLE);
    if (recording->valgrind) {
        /* Valgrind preloads the runtime itself. */
        snprintf(options, sizeof options, "%llu", (unsigned long long)recording->switch_every);
        setenv("PREPLAY_SWITCH", options, 1);
    } else if (recording->sync_only && !recording->debugged) {
        snprintf(path, sizeof path, "%s/libpreplay_sync.so", library);
        prepend("LD_PRELOAD", path, ' ');
    } else if (!recording->debugged && recording_preloads(recording->command[0])) {
        snprintf(path, sizeof path, "%s/libpreplay.so", library);
        prepend("LD_PRELOAD", path, ' ');
        setenv("PREPLAY_FRONT", "1", 1);
    }
    /* Programs that were linked with libtsan find ours. */
    snprintf(path, sizeof path, "%s/tsan", library);
    prepend("LD_LIBRARY_PATH", path, ':');
}

/* The program of a replay: as it was recorded, and nowhere else in memory than in
 * other replays of it. */
static void set_replay(const struct recording *recording)
{
    personality(ADDR_NO_RANDOMIZE);
    setenv("PREPLAY_REPLAY", recording->schedule, 1);
    setenv("PREPLAY_CONTROL", recording->control, 1);
    if (recording->process_name)
        setenv("PREPLAY_PROCESS", recording->process_name, 1);
    if (recording->inputs)
        setenv("PREPLAY_INPUTS", recording->inputs, 1);
    if (recording->debugged && recording->input)
        setenv("PREPLAY_INPUT", recording->input, 1);
    if (chdir(sandbox_directory(recording->sandbox)))
        perror("preplay: cannot go to the directory of the recorded run");
    int output = recording->output ? files_create(recording->output) : -1;
    if (output >= 0) {
        dup2(output, STDOUT_FILENO);
        dup2(output, STDERR_FILENO);
        close(output);
    }
}

static const char *program_of(const struct recording *recording)
{
    return recording->program ? recording->program : recording->command[0];
}

/* Only returns if it fails. */
static void become(const struct recording *recording, const char *directory, const char *library)
{
    extern char **environ;
    if (recording->environment)
        environ = (char **)recording->environment;
    set_environment(recording, directory, library);
    if (recording->schedule)
        set_replay(recording);
    if (recording->schedule && sandbox_temporary(recording->sandbox))
        setenv("TMPDIR", sandbox_temporary(recording->sandbox), 1);
    if (recording->output_is_ours)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    if (recording->valgrind)
        valgrind_become(library, directory, program_of(recording), recording->command,
                        recording->schedule != NULL);
    else
        execvp(program_of(recording), (char *const *)recording->command);
}

struct launch {
    struct recording *recording;
    const char *directory, *library;
};

static void become_launched(void *context)
{
    const struct launch *launch = context;
    standard_input_use(&launch->recording->standard_input);
    become(launch->recording, launch->directory, launch->library);
}

/* The pipe closes at exec; if that fails it brings the reason. */
static int start_free(struct launch *launch, struct error *error)
{
    int report[2], reason = 0;
    if (pipe2(report, O_CLOEXEC))
        return error_set(error, ERROR_INTERNAL, "cannot make a pipe: %s", strerror(errno));
    pid_t child = launch->recording->process = fork();
    if (child < 0)
        return error_set(error, ERROR_INTERNAL, "cannot fork: %s", strerror(errno));
    if (child == 0) {
        become_launched(launch);
        reason = errno;
        ssize_t written = write(report[1], &reason, sizeof reason);
        (void)written;
        _exit(127);
    }
    close(report[1]);
    ssize_t got = read(report[0], &reason, sizeof reason);
    close(report[0]);
    if (got != sizeof reason)
        return 0;
    waitpid(child, NULL, 0);
    return error_set(error, ERROR_USAGE, "%s: cannot be run: %s", launch->recording->command[0],
                     strerror(reason));
}

static int enter_launched(void *context, struct error *error)
{
    const struct launch *launch = context;
    return sandbox_enter(launch->recording->sandbox, error);
}

/* A replay: it may not outlive us. */
static int start_guarded(struct launch *launch, struct error *error)
{
    struct recording *recording = launch->recording;
    struct guard_task task = {
        .enter = enter_launched,
        .become = become_launched,
        .context = launch,
        .own_processes = sandbox_own_processes(recording->sandbox),
        .id = recording->recorded_process,
        .whole_family = recording->process_name && *recording->process_name,
    };
    struct error reason = {0};
    if (sandbox_empty(recording->sandbox, error))
        return -1;
    if (guard_start(&recording->guard, &task, &reason))
        return error_set(error, reason.code, "%s: %s", recording->command[0], reason.text);
    recording->process = recording->guard.process;
    return 0;
}

static int start(struct recording *recording, const char *directory, const char *library,
                 struct error *error)
{
    struct launch launch = {recording, directory, library};
    struct standard_input *input = &recording->standard_input;
    if (recording->schedule)
        standard_input_from(input, recording->input);
    else
        standard_input_keep(input, directory);
    int result = recording->schedule ? start_guarded(&launch, error) : start_free(&launch, error);
    standard_input_started(input);
    return result;
}

/* --- afterwards -------------------------------------------------------------- */

static void explain_nothing(const struct recording *recording)
{
    struct program_kind kind;
    const char *name = recording->command[0];
    bool inspected = program_inspect(name, &kind);
    if (inspected && kind.changes_user)
        fprintf(stderr,
                "preplay: nothing was recorded: %s changes its user (set-user-ID), and the system "
                "lets no recorder into such a program; run a copy without that bit, or run "
                "preplay as that user\n",
                name);
    else if (recording->valgrind || !inspected || kind.wants_libtsan || kind.wants_preplay)
        fprintf(stderr, "preplay: nothing was recorded\n");
    else if (!kind.is_elf)
        fprintf(
            stderr,
            "preplay: nothing was recorded: %s is a script, and no program that it started is "
            "instrumented; build that with preplay cc, or record it with --sync-only (no races) "
            "or --valgrind\n",
            name);
    else if (kind.is_foreign)
        fprintf(stderr,
                "preplay: nothing was recorded: %s is not a program of 64 bits for x86-64; build "
                "it for that, without -m32\n",
                name);
    else if (kind.wants_musl)
        fprintf(stderr,
                "preplay: nothing was recorded: %s is linked with musl, and Preplay's recorder "
                "needs the GNU C library; build it for that with preplay cc\n",
                name);
    else if (kind.wants_libasan)
        fprintf(stderr,
                "preplay: nothing was recorded: %s is built with AddressSanitizer, which does not "
                "go together with Preplay; build it with preplay cc, without -fsanitize=address\n",
                name);
    else if (!kind.is_dynamic)
        fprintf(stderr,
                "preplay: nothing was recorded: %s is linked statically; link it dynamically "
                "with preplay cc\n",
                name);
    else if (kind.static_runtime)
        fprintf(stderr,
                "preplay: nothing was recorded: ThreadSanitizer's own runtime is linked into %s "
                "(clang's default, gcc's -static-libtsan) and cannot be replaced; link it again "
                "with preplay cc, or with "
                "-fno-sanitize-link-runtime and libpreplay.so\n",
                name);
    else
        fprintf(stderr,
                "preplay: nothing was recorded: %s is not instrumented; build it with preplay cc "
                "(or gcc -fsanitize=thread), or record it with --sync-only (no races) or "
                "--valgrind\n",
                name);
}

static int check_valgrind(const struct recording *recording, const char *library,
                          struct error *error)
{
    char tool[LIBRARY_PATH];
    if (!recording->valgrind)
        return 0;
    return valgrind_directory(tool, library, error) ||
           (!recording->schedule && valgrind_check_program(recording->command[0], error));
}

/* As execvp() would find it. */
static bool is_program(const char *name)
{
    struct stat status;
    return access(name, X_OK) == 0 && stat(name, &status) == 0 && !S_ISDIR(status.st_mode);
}

static bool is_in_path(const char *name)
{
    char file[PATH_MAX];
    const char *path = getenv("PATH");
    for (const char *at = path ? path : "/bin:/usr/bin"; *at;) {
        size_t length = strcspn(at, ":");
        snprintf(file, sizeof file, "%.*s/%s", length ? (int)length : 1, length ? at : ".", name);
        if (is_program(file))
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

/* Before an old trace makes room for the new one. */
static int check_program(const struct recording *recording, struct error *error)
{
    const char *name = recording->command[0];
    errno = 0;
    if (recording->schedule || (strchr(name, '/') ? is_program(name) : is_in_path(name)))
        return 0;
    return error_set(error, ERROR_USAGE, "%s: cannot be run: %s", name,
                     strerror(strchr(name, '/') ? (errno ? errno : EISDIR) : ENOENT));
}

/* Whatever is wrong with the program is said before an old recording makes room for it. */
int recording_prepare(struct recording *recording, struct error *error)
{
    char library[LIBRARY_PATH];
    if (library_directory(library, error) || check_valgrind(recording, library, error) ||
        check_program(recording, error))
        return -1;
    if (recording->directory)
        return trace_directory_prepare(recording->directory, &recording->lock, error);
    if (recordings_make(recording->made, recording->command[0], &recording->rule, &recording->lock,
                        error))
        return -1;
    recording->directory = recording->made;
    return 0;
}

static bool is_prepared(const struct recording *recording)
{
    return recording->lock.file != 0;
}

void recording_close(struct recording *recording)
{
    trace_lock_release(&recording->lock);
}

/* A hot loop fills a disk in minutes, and others need it, too. */
static void find_limit(struct recording *recording)
{
    struct statvfs disk;
    if (recording->limit != RECORDING_SHARE)
        return;
    recording->share = statvfs(recording->directory, &disk) == 0;
    recording->limit =
        recording->share ? (uint64_t)disk.f_bavail * disk.f_frsize / RECORDING_PART + 1 : 0;
}

/* The program runs, from its start to its end. */
static int run_program(struct recording *recording, const char *directory, struct error *error)
{
    char library[LIBRARY_PATH];
    if (library_directory(library, error))
        return -1;
    if (recording->valgrind)
        valgrind_prepare(directory, program_of(recording));
    struct stream_space *space = recording->valgrind ? NULL : stream_space_create(directory);
    if (trace_directory_write_manifest(recording, false, error) ||
        start(recording, directory, library, error)) {
        stream_space_finish(space);
        return -1;
    }
    stream_space_serve(space);
    if (!recording->schedule)
        recordings_point_to(recording->directory);
    if (recording->started)
        recording->started(recording->started_context);
    waiting_for(recording, directory);
    if (!recording->schedule && !recording->stopped)
        left_behind_wait(directory, recording->stop_after);
    stream_space_finish(space);
    standard_input_ended(&recording->standard_input);
    if (recording->valgrind)
        valgrind_ended(directory);
    return 0;
}

int recording_run(struct recording *recording, struct error *error)
{
    char directory[PATH_MAX];
    if (!is_prepared(recording) && recording_prepare(recording, error))
        return -1;
    if (!realpath(recording->directory, directory))
        return error_set(error, ERROR_INPUT, "%s: %s", recording->directory, strerror(errno));
    find_limit(recording);
    if (run_program(recording, directory, error)) {
        trace_directory_discard(recording->directory, &recording->lock);
        return -1;
    }
    if (!recording->schedule) { /* of a replay, its verdict says it */
        if (!trace_directory_has_streams(directory))
            explain_nothing(recording);
        else
            trace_directory_point_inside(recording->directory);
        ending_say(recording);
        ending_say_limit(recording);
    }
    /* The disk may be full by now: the trace is readable without this. */
    trace_directory_write_manifest(recording, true, NULL);
    return 0;
}

int recording_become(struct recording *recording, struct error *error)
{
    char library[LIBRARY_PATH], directory[PATH_MAX];
    if (library_directory(library, error) ||
        trace_directory_prepare(recording->directory, &recording->lock, error))
        return -1;
    if (!realpath(recording->directory, directory))
        return error_set(error, ERROR_INPUT, "%s: %s", recording->directory, strerror(errno));
    if (trace_directory_write_manifest(recording, false, error) ||
        sandbox_empty(recording->sandbox, error) || sandbox_enter(recording->sandbox, error))
        return -1;
    become(recording, directory, library);
    return error_set(error, ERROR_USAGE, "%s: cannot be run: %s", recording->command[0],
                     strerror(errno));
}

int recording_exit_code(const struct recording *recording)
{
    if (recording->stopped || recording->hung)
        return RECORDING_STOPPED;
    if (WIFEXITED(recording->status))
        return WEXITSTATUS(recording->status);
    int number = WTERMSIG(recording->status);
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none); /* the program has left its own core */
    signal(number, SIG_DFL);
    raise(number);
    return 128 + number;
}
