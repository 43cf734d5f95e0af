#include "runtime/process.h"

#include "runtime/command.h"
#include "runtime/enforce.h"
#include "runtime/recorder.h"
#include "runtime/thread.h"

#include <stdlib.h>

struct process process;

/* Bounded string building without libc. */
static size_t append(char *buffer, size_t at, size_t size, const char *text)
{
    while (*text && at + 1 < size)
        buffer[at++] = *text++;
    buffer[at < size ? at : size - 1] = 0;
    return at;
}

static size_t append_number(char *buffer, size_t at, size_t size, uint64_t number)
{
    char digits[24];
    unsigned count = sizeof digits - 1;
    digits[count] = 0;
    do {
        digits[--count] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    return append(buffer, at, size, digits + count);
}

bool process_path(char path[PROCESS_PATH], const char *name)
{
    size_t at = append(path, 0, PROCESS_PATH, process.directory);
    at = append(path, at, PROCESS_PATH, "/");
    at = append(path, at, PROCESS_PATH, name);
    return at + 1 < PROCESS_PATH;
}

static void complain(const char *what, const char *why)
{
    char line[512];
    size_t at = append(line, 0, sizeof line, "preplay: ");
    at = append(line, at, sizeof line, what);
    at = append(line, at, sizeof line, ": ");
    at = append(line, at, sizeof line, why);
    at = append(line, at, sizeof line, "\n");
    system_write(2, line, at);
}

static void write_file(const char *name, const char *text, size_t length)
{
    char path[PROCESS_PATH];
    if (!process_path(path, name))
        return;
    int file = system_open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0)
        return;
    system_write(file, text, length);
    system_close(file);
}

void process_stop(const char *reason, uint64_t stamp)
{
    if (!atomic_exchange(&process.recording, false))
        return;
    char text[320];
    size_t at = append_number(text, 0, sizeof text, stamp);
    at = append(text, at, sizeof text, " ");
    at = append(text, at, sizeof text, reason);
    at = append(text, at, sizeof text, "\n");
    write_file("stopped", text, at);
    complain("recording stopped, the program goes on", reason);
}

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
    size_t at = append_number(text, 0, sizeof text, process.id);
    at = append(text, at, sizeof text, "\n");
    system_write(file, text, at);
    system_close(file);
    return process_path(path, "streams") && system_mkdir(path) == 0;
}

/* The first free process-N; its path, or false. */
static bool make_inside(char path[PROCESS_PATH])
{
    char name[32];
    for (unsigned n = 1; n < 100000; n++) {
        size_t at = append(name, 0, sizeof name, "process-");
        append_number(name, at, sizeof name, n);
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
    append(process.directory, 0, PROCESS_PATH, path);
    return claim();
}

static bool claimed_by_us(void)
{
    char path[PROCESS_PATH], found[32] = "", own[32];
    size_t length = append_number(own, 0, sizeof own, process.id);
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
    size_t at = append(to, 0, sizeof to, directory);
    at = append(to, at, sizeof to, "/");
    at = append(to, at, sizeof to, name);
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

static void begin(void)
{
    process.id = system_process();
    if (!claim() && !claim_again() && !claim_inside()) {
        complain("not recording", "the trace directory cannot be written");
        return;
    }
    command_note();
    modules_reset();
    atomic_store(&process.streams, 1);
    atomic_store(&process.recording, true);
    recorder_begin(0, 0, 0, STREAM_MAIN, 0, ENFORCE_MAIN_PATH);
}

void process_start(void)
{
    static _Atomic bool started;
    const char *directory = getenv("PREPLAY_RECORD");
    if (atomic_exchange(&started, true) || !directory || !*directory)
        return;
    if (append(process.directory, 0, PROCESS_PATH, directory) + 1 >= PROCESS_PATH)
        return;
    read_options(getenv("PREPLAY_RECORD_OPTIONS"));
    enforce_start();
    thread_prepare();
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
