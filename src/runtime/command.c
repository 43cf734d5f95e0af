/* SPDX-License-Identifier: MIT */
/* How this process was started, so that it can be started again on its own: a
 * recorded program may be a child of the command that the user gave. */
#include "runtime/command.h"

#include "runtime/directory.h"
#include "runtime/process.h"
#include "trace/hidden.h"

#include <stdlib.h>
#include <unistd.h>

/* Before main(), once. */
static char buffer[PROCESS_PATH];

static void copy_file(const char *from, const char *name)
{
    int source = system_open(from, O_RDONLY, 0);
    int target = directory_open(process.directory, name, O_WRONLY | O_CREAT | O_TRUNC);
    for (long got;
         source >= 0 && target >= 0 && (got = system_read(source, buffer, sizeof buffer)) > 0;)
        system_write(target, buffer, (size_t)got);
    if (source >= 0)
        system_close(source);
    if (target >= 0)
        system_close(target);
}

/* All of the environment but what the user does not want kept. */
static void write_environment(const char *name)
{
    const char *hidden = getenv(HIDDEN_VARIABLE);
    int target = directory_open(process.directory, name, O_WRONLY | O_CREAT | O_TRUNC);
    if (target < 0)
        return;
    for (char **entry = environ; entry && *entry; entry++) {
        size_t length = 0;
        while ((*entry)[length])
            length++;
        if (!hidden_is(hidden, *entry))
            system_write(target, *entry, length + 1);
    }
    system_close(target);
}

static void copy_link(const char *from, const char *name)
{
    long length = system_call(SYS_readlink, (long)from, (long)buffer, sizeof buffer, 0, 0, 0);
    if (length > 0)
        directory_write(process.directory, name, buffer, (size_t)length);
}

void command_note(void)
{
    copy_file("/proc/self/cmdline", "cmdline");
    write_environment("environ");
    copy_link("/proc/self/cwd", "cwd");
}
