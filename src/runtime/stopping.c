/* Paths in the trace directory, and the end of a recording that cannot go on. */
#include "runtime/process.h"
#include "runtime/system.h"
#include "runtime/text.h"

bool process_path(char path[PROCESS_PATH], const char *name)
{
    size_t at = text_append(path, 0, PROCESS_PATH, process.directory);
    at = text_append(path, at, PROCESS_PATH, "/");
    at = text_append(path, at, PROCESS_PATH, name);
    return at + 1 < PROCESS_PATH;
}

void process_complain(const char *what, const char *why)
{
    char line[512];
    size_t at = text_append(line, 0, sizeof line, "preplay: ");
    at = text_append(line, at, sizeof line, what);
    at = text_append(line, at, sizeof line, ": ");
    at = text_append(line, at, sizeof line, why);
    at = text_append(line, at, sizeof line, "\n");
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
    size_t at = text_number(text, 0, sizeof text, stamp);
    at = text_append(text, at, sizeof text, " ");
    at = text_append(text, at, sizeof text, reason);
    at = text_append(text, at, sizeof text, "\n");
    write_file("stopped", text, at);
    process_complain("recording stopped, the program goes on", reason);
}
