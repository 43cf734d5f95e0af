/* SPDX-License-Identifier: MIT */
/* The end of a recording that cannot go on. */
#include "runtime/directory.h"
#include "runtime/process.h"
#include "runtime/space.h"
#include "runtime/text.h"

void process_complain(const char *what, const char *why)
{
    char line[256];
    size_t at = text_append(line, 0, sizeof line, "preplay: ");
    at = text_append(line, at, sizeof line, what);
    at = text_append(line, at, sizeof line, ": ");
    at = text_append(line, at, sizeof line, why);
    at = text_append(line, at, sizeof line, "\n");
    if (system_sealed) /* a call that hardly any program forbids itself */
        system_call(SYS_write, 2, (long)line, (long)at, 0, 0, 0);
    else
        system_write(2, line, at);
}

void process_name(char *whole, size_t room, const char *name)
{
    const char *inside = process.directory + process.run_length;
    size_t at = *inside ? text_append(whole, 0, room, inside + 1) : 0;
    at = at ? text_append(whole, at, room, "/") : 0;
    text_append(whole, at, room, name);
}

void process_add(const char *name, const char *text, size_t length)
{
    int file =
        system_sealed ? -1 : directory_open(process.directory, name, O_WRONLY | O_CREAT | O_APPEND);
    if (file >= 0) {
        system_write(file, text, length);
        system_close(file);
    } else if (space_there()) {
        char whole[SPACE_NAME];
        process_name(whole, sizeof whole, name);
        space_append(whole, text, length);
    }
}

void process_stop(const char *reason, uint64_t stamp)
{
    if (!atomic_exchange(&process.recording, false))
        return;
    char text[256];
    size_t at = text_number(text, 0, sizeof text, stamp);
    at = text_append(text, at, sizeof text, " ");
    at = text_append(text, at, sizeof text, reason);
    at = text_append(text, at, sizeof text, "\n");
    process_add("stopped", text, at);
    process_complain("recording stopped, the program goes on", reason);
}
