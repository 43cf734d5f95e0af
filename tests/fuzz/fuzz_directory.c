/* A whole recording of any bytes: every file of the directory that the tool reads, by every reader
 * it has. An error or an answer, never a crash, a hang or a file somewhere else.
 *
 * The input is a list of files: which one (a byte), its length (two bytes), its bytes. pack.py
 * makes one of a real recording. */
#include "explore/failures_file.h"
#include "replay/replaying.h"
#include "replay/trust.h"
#include "report/findings_file.h"
#include "target/before.h"
#include "target/network.h"
#include "target/processes.h"
#include "target/trace_lock.h"
#include "target/trace_removal.h"
#include "target/users.h"
#include "trace/formats.h"
#include "trace/history.h"
#include "trace/recorded/binary_stop.h"
#include "trace/recorded/binary_wishes.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As pack.py numbers them. */
static const char *const names[] = {
    "manifest.json",
    "findings.json",
    "modules",
    "stopped",
    "process",
    "cmdline",
    "environ",
    "cwd",
    "lock",
    "streams/000000000.pps",
    "streams/000000001.pps",
    "streams/000000002.pps",
    "process-1/process",
    "process-1/cmdline",
    "process-1/environ",
    "process-1/cwd",
    "process-1/modules",
    "process-1/streams/000000000.pps",
    "before/list",
    "before/network",
    "users",
    "cut_off",
    "stdin",
    "process-1/before/list",
    "exploration.json",
};

static const char *directory(void)
{
    static char path[64];
    if (!*path)
        snprintf(path, sizeof path, "/dev/shm/preplay-fuzz-directory-%d", (int)getpid());
    return path;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

static void make(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s%s", directory(), name);
    if (mkdir(path, 0700))
        abort();
}

static void write_files(const uint8_t *data, size_t size)
{
    while (size >= 3) {
        size_t length = (size_t)(data[1] | data[2] << 8);
        const char *name = names[data[0] % (sizeof names / sizeof *names)];
        char path[192];
        data += 3;
        size -= 3;
        length = length < size ? length : size;
        snprintf(path, sizeof path, "%s/%s", directory(), name);
        int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (file < 0 || write(file, data, length) != (ssize_t)length)
            abort();
        close(file);
        data += length;
        size -= length;
    }
}

static void must_be_input(const struct error *error)
{
    if (error->code != ERROR_INPUT && error->code != ERROR_USAGE)
        abort();
}

static void read_history(const char *path)
{
    struct error error = {0};
    char findings[128];
    struct trace *trace = trace_open(path, &error);
    struct history *history = trace ? history_read(trace, &error) : NULL;
    if (!history) {
        must_be_input(&error);
        trace_close(trace);
        return;
    }
    for (uint32_t i = 0; i < history->count && i < 100; i++)
        trace_location(trace, history->events[i].location);
    struct findings *found = findings_create(true);
    struct report_engine engine = {0};
    struct report_run run;
    snprintf(findings, sizeof findings, "%s/findings.json", path);
    json_t *root = findings_file_load(findings, &error);
    if (!root || findings_file_take(found, history, root, findings, &error))
        must_be_input(&error);
    findings_file_numbers(root, &engine, &run);
    findings_file_incomplete(root);
    json_decref(root);
    findings_destroy(found);
    history_destroy(history);
    trace_close(trace);
}

static void look_at_path(void *context, const char *path)
{
    (void)context;
    if (*path != '/')
        abort(); /* what is relative would be of whoever runs preplay */
}

/* What the program changed, and with whom it talked. */
static void read_surroundings(const char *path)
{
    struct error error = {0};
    struct before before = {0};
    struct network network;
    if (before_read(&before, path, &error))
        must_be_input(&error);
    else
        before_directories(&before, look_at_path, NULL);
    before_bytes(&before);
    before_free(&before);
    error = (struct error){0};
    if (network_read(&network, path, look_at_path, NULL, &error))
        must_be_input(&error);
    char why[256];
    users_changed(path, why, sizeof why);
    struct kept_failures failures;
    error = (struct error){0};
    if (failures_file_read(&failures, path, &error))
        must_be_input(&error);
    else
        failures_file_free(&failures);
}

static void read_rest(const char *path)
{
    struct error error = {0};
    struct replay_program program;
    struct processes processes = {0};
    struct binary_waiting waiting = {0};
    struct trace_content content;
    char *reason;
    if (replay_program_read(&program, path, &error))
        must_be_input(&error);
    if (program.manifest)
        replay_program_free(&program);
    error = (struct error){0};
    if (trust_check(path, &error))
        must_be_input(&error);
    binary_waiting_count(&waiting, path);
    binary_stop_read(path, &reason);
    free(reason);
    processes_find(&processes, path, 1);
    processes_free(&processes);
    int opened = open(path, O_RDONLY | O_DIRECTORY);
    if (trace_removal_look(opened, &content) || *content.stranger)
        abort(); /* nothing but ours is there, whatever the bytes are */
    if (trace_removal_empty(opened))
        abort();
    close(opened);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const directories[] = {
        "", "/streams", "/before", "/process-1", "/process-1/streams", "/process-1/before"};
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++)
        make(directories[i]);
    write_files(data, size);
    read_history(directory());
    read_surroundings(directory());
    read_rest(directory());
    nftw(directory(), remove_entry, 32, FTW_DEPTH | FTW_PHYS);
    return 0;
}
