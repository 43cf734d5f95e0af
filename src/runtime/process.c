#include "runtime/process.h"

#include "runtime/command.h"
#include "runtime/enforce.h"
#include "runtime/host.h"
#include "runtime/text.h"
#include "runtime/thread.h"

#include <stdlib.h>

struct process process;

/* A directory has one recording process: the first to come. Others (a program
 * started by exec, a shell script's second command, a forked child) get a
 * directory of their own inside it. */
static bool claim(void)
{
    char path[PROCESS_PATH];
    if (!process_path(path, "process"))
        return false;
    int file = system_open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (file < 0)
        return false;
    char text[32];
    size_t at = text_number(text, 0, sizeof text, process.id);
    at = text_append(text, at, sizeof text, "\n");
    system_write(file, text, at);
    system_close(file);
    return process_path(path, "streams") && system_mkdir(path) == 0;
}

/* The first free process-N; its path, or false. */
static bool make_inside(char path[PROCESS_PATH])
{
    char name[32];
    for (unsigned n = 1; n < 100000; n++) {
        size_t at = text_append(name, 0, sizeof name, "process-");
        text_number(name, at, sizeof name, n);
        if (!process_path(path, name))
            return false;
        int answer = system_mkdir(path);
        if (answer != -17) /* EEXIST */
            return answer == 0;
    }
    return false;
}

static bool claim_inside(void)
{
    char path[PROCESS_PATH];
    if (!make_inside(path))
        return false;
    text_append(process.directory, 0, PROCESS_PATH, path);
    return claim();
}

static bool claimed_by_us(void)
{
    char path[PROCESS_PATH], found[32] = "", own[32];
    size_t length = text_number(own, 0, sizeof own, process.id);
    int file = process_path(path, "process") ? system_open(path, O_RDONLY, 0) : -1;
    if (file < 0)
        return false;
    system_read(file, found, sizeof found - 1);
    system_close(file);
    size_t i = 0;
    while (i < length && found[i] == own[i])
        i++;
    return i == length && found[i] == '\n';
}

static bool move_inside(const char *directory, const char *name)
{
    char from[PROCESS_PATH], to[PROCESS_PATH];
    size_t at = text_append(to, 0, sizeof to, directory);
    at = text_append(to, at, sizeof to, "/");
    at = text_append(to, at, sizeof to, name);
    return process_path(from, name) && at + 1 < sizeof to && system_rename(from, to) == 0;
}

/* This very process has recorded before and called exec (a script that starts the
 * real program): what it was before makes room for what it is now. */
static bool claim_again(void)
{
    char aside[PROCESS_PATH];
    if (!claimed_by_us() || !make_inside(aside))
        return false;
    move_inside(aside, "modules");
    move_inside(aside, "stopped");
    return move_inside(aside, "streams") && move_inside(aside, "process") && claim();
}

static bool word_is(const char *text, size_t length, const char *word)
{
    size_t i = 0;
    while (i < length && word[i] && text[i] == word[i])
        i++;
    return i == length && !word[i];
}

/* "values,branches,blocks,max=BYTES" */
static void read_options(const char *text)
{
    while (text && *text) {
        size_t length = 0;
        while (text[length] && text[length] != ',')
            length++;
        if (word_is(text, length, "values"))
            process.values = true;
        else if (word_is(text, length, "branches"))
            process.branches = true;
        else if (word_is(text, length, "blocks"))
            process.blocks = true;
        else if (length > 4 && word_is(text, 4, "max="))
            process.bytes_limit = strtoull(text + 4, NULL, 10);
        text += length + (text[length] == ',');
    }
}

/* A schedule is for one process of a run: the first, or the forked child that is named by
 * the way to its directory ("process-2/process-1"). NULL: the first. */
static const char *scheduled_child(void)
{
    const char *name = getenv("PREPLAY_PROCESS");
    return name && *name ? name : NULL;
}

static bool is_scheduled_child(void)
{
    char path[PROCESS_PATH];
    const char *child = scheduled_child(), *directory = getenv("PREPLAY_RECORD");
    if (!child || !directory)
        return false;
    size_t at = text_append(path, 0, PROCESS_PATH, directory);
    at = text_append(path, at, PROCESS_PATH, "/");
    at = text_append(path, at, PROCESS_PATH, child);
    return word_is(path, at, process.directory);
}

static void begin(void)
{
    process.id = system_process();
    if (!claim() && !claim_again() && !claim_inside()) {
        process_complain("not recording", "the trace directory cannot be written");
        return;
    }
    command_note();
    modules_reset();
    atomic_store(&process.streams, 1);
    atomic_store(&process.recording, true);
    recorder_begin(0, 0, 0, STREAM_MAIN, 0, ENFORCE_MAIN_PATH);
}

/* A program may hold two runtimes: the one it is linked with, and one that is preloaded
 * (--sync-only, --valgrind). Each would record what the other passes on. The one whose
 * functions the program's calls find, the first in the order of look-up, does the work. */
EXPORT extern char __preplay_runtime;
char __preplay_runtime;
extern char own_runtime __attribute__((alias("__preplay_runtime"), visibility("hidden")));

static bool is_first(void)
{
    static char *volatile const found = &__preplay_runtime;
    static char *volatile const own = &own_runtime;
    return found == own;
}

void process_start(void)
{
    static _Atomic bool started;
    const char *directory = getenv("PREPLAY_RECORD");
    if (atomic_exchange(&started, true) || !directory || !*directory || !is_first())
        return;
    if (text_append(process.directory, 0, PROCESS_PATH, directory) + 1 >= PROCESS_PATH)
        return;
    read_options(getenv("PREPLAY_RECORD_OPTIONS"));
    if (!scheduled_child())
        enforce_start();
    thread_prepare();
    if (host_begin())
        begin();
}

void process_forked(void)
{
    recorder_abandon();
    enforce_forget();
    if (!process_recording())
        return;
    atomic_store(&process.recording, false);
    atomic_store(&process.bytes, 0);
    process.id = system_process();
    if (!claim_inside())
        return;
    if (is_scheduled_child())
        enforce_start();
    modules_reset();
    atomic_store(&process.streams, 1);
    atomic_store(&process.recording, true);
    recorder_begin(0, 0, 0, STREAM_MAIN, 0, ENFORCE_MAIN_PATH);
}

__attribute__((constructor(101))) static void process_constructor(void)
{
    process_start();
}

EXPORT void __tsan_init(void);
EXPORT void __tsan_init(void)
{
    /* Called before the C library is ready; the constructor above comes later. */
}
