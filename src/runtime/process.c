/* SPDX-License-Identifier: MIT */
#include "runtime/process.h"

#include "runtime/command.h"
#include "runtime/enforce.h"
#include "runtime/front.h"
#include "runtime/directory.h"
#include "runtime/host.h"
#include "runtime/keep.h"
#include "runtime/linger.h"
#include "runtime/space.h"
#include "runtime/text.h"
#include "runtime/thread.h"

#include <stdlib.h>
#include <sys/auxv.h>

struct process process;

/* A directory has one recording process: the first to come. Others (a program
 * started by exec, a shell script's second command, a forked child) get a
 * directory of their own inside it. */
static bool claim(void)
{
    int file = directory_open(process.directory, "process", O_WRONLY | O_CREAT | O_EXCL);
    if (file < 0)
        return false;
    char text[32];
    size_t at = text_number(text, 0, sizeof text, process.id);
    at = text_append(text, at, sizeof text, "\n");
    system_write(file, text, at);
    system_close(file);
    return directory_make(process.directory, "streams") == 0;
}

/* The first free process-N. */
static bool make_inside(char name[DIRECTORY_NAME])
{
    for (unsigned n = 1; n < 100000; n++) {
        size_t at = text_append(name, 0, DIRECTORY_NAME, "process-");
        text_number(name, at, DIRECTORY_NAME, n);
        int answer = directory_make(process.directory, name);
        if (answer != -17) /* EEXIST */
            return answer == 0;
    }
    return false;
}

static size_t length_of(const char *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}

static bool go_inside(const char *name)
{
    size_t at = length_of(process.directory);
    if (at + DIRECTORY_NAME >= PROCESS_PATH)
        return false;
    at = text_append(process.directory, at, PROCESS_PATH, "/");
    text_append(process.directory, at, PROCESS_PATH, name);
    return true;
}

/* Who may not make a directory any more is given a name for one. */
static bool claim_by_name(void)
{
    char name[DIRECTORY_NAME], text[32];
    if (!space_there())
        return false;
    size_t at = text_append(name, 0, sizeof name, "process-");
    text_number(name, at, sizeof name, space_new_process());
    if (!go_inside(name))
        return false;
    at = text_number(text, 0, sizeof text, process.id);
    at = text_append(text, at, sizeof text, "\n");
    process_add("process", text, at);
    return true;
}

static bool claim_inside(void)
{
    char name[DIRECTORY_NAME];
    if (system_sealed || !make_inside(name))
        return claim_by_name();
    return go_inside(name) && claim();
}

static bool claimed_by_us(void)
{
    char found[32] = "", own[32];
    size_t length = text_number(own, 0, sizeof own, process.id);
    int file = directory_open(process.directory, "process", O_RDONLY);
    if (file < 0)
        return false;
    system_read(file, found, sizeof found - 1);
    system_close(file);
    size_t i = 0;
    while (i < length && found[i] == own[i])
        i++;
    return i == length && found[i] == '\n';
}

/* This very process has recorded before and called exec (a script that starts the
 * real program): what it was before makes room for what it is now. */
static bool claim_again(void)
{
    char aside[DIRECTORY_NAME];
    if (!claimed_by_us() || !make_inside(aside))
        return false;
    directory_move(process.directory, "modules", aside);
    directory_move(process.directory, "stopped", aside);
    directory_move(process.directory, "cut_off", aside);
    directory_move(process.directory, "users", aside);
    directory_move(process.directory, "inputs", aside);
    return directory_move(process.directory, "streams", aside) == 0 &&
           directory_move(process.directory, "process", aside) == 0 && claim();
}

static bool word_is(const char *text, size_t length, const char *word)
{
    size_t i = 0;
    while (i < length && word[i] && text[i] == word[i])
        i++;
    return i == length && !word[i];
}

static bool may_linger(void)
{
    return process_recording() && system_process() == process.id;
}

static void note_cut_off(uint32_t threads)
{
    char text[16];
    size_t at = text_number(text, 0, sizeof text, threads);
    at = text_append(text, at, sizeof text, "\n");
    process_add("cut_off", text, at);
}

/* "values,branches,blocks,linger=MILLISECONDS,max=BYTES,keep=BYTES" */
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
        else if (length > 7 && word_is(text, 7, "linger="))
            linger_for((uint32_t)strtoull(text + 7, NULL, 10), may_linger, note_cut_off);
        else if (length > 5 && word_is(text, 5, "keep="))
            keep_set_limit(strtoull(text + 5, NULL, 10));
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
    const char *child = scheduled_child(), *directory = getenv("PREPLAY_RECORD");
    if (!child || !directory)
        return false;
    /* This process's own begins with the run's, from which it was made. */
    size_t length = length_of(directory);
    return length < length_of(process.directory) && process.directory[length] == '/' &&
           word_is(child, length_of(child), process.directory + length + 1);
}

static void begin(void)
{
    process.id = system_process();
    process.run_length = length_of(process.directory);
    space_begin(process.directory);
    if (!claim() && !claim_again() && !claim_inside()) {
        process_complain("not recording", "the trace directory cannot be written");
        return;
    }
    command_note();
    keep_start(process.directory, process_complain);
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

static bool is_in_front(void)
{
    const char *missed = front_missed();
    if (missed)
        process_complain("not recording: the C library comes before preplay in this program; give "
                         "the program itself to preplay record, or preload libpreplay.so",
                         missed);
    return !missed;
}

/* Set once the C library is ready. */
static bool constructed;

void process_start(void)
{
    static _Atomic bool started;
    /* A program that has more rights than who started it takes no orders from the environment. */
    if (getauxval(AT_SECURE))
        return;
    const char *directory = getenv("PREPLAY_RECORD");
    if (!directory || !*directory || !is_first() || atomic_exchange(&started, true))
        return;
    if (text_append(process.directory, 0, PROCESS_PATH, directory) + 1 >= PROCESS_PATH ||
        !is_in_front())
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
    process.forked = true;
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
    constructed = true;
    if (front_is_wanted())
        process_start();
}

/* Called by each part of the program that is instrumented: by a library that is loaded late it
 * may be the first, by others before the C library is ready; the constructor above comes later. */
extern void library_hooks_watch(void) __attribute__((weak)); /* not with --sync-only */
EXPORT void __tsan_init(void);
EXPORT void __tsan_init(void)
{
    if (constructed)
        process_start();
    if (constructed && library_hooks_watch)
        library_hooks_watch();
}
