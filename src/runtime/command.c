/* How this process was started, so that it can be started again on its own: a
 * recorded program may be a child of the command that the user gave. */
#include "runtime/command.h"

#include "runtime/process.h"
#include "runtime/system.h"

static void copy_file(const char *from, const char *name)
{
    char path[PROCESS_PATH], buffer[4096];
    if (!process_path(path, name))
        return;
    int source = system_open(from, O_RDONLY, 0);
    int target = system_open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    for (long got;
         source >= 0 && target >= 0 && (got = system_read(source, buffer, sizeof buffer)) > 0;)
        system_write(target, buffer, (size_t)got);
    if (source >= 0)
        system_close(source);
    if (target >= 0)
        system_close(target);
}

static void copy_link(const char *from, const char *name)
{
    char path[PROCESS_PATH], buffer[PROCESS_PATH];
    long length = system_call(SYS_readlink, (long)from, (long)buffer, sizeof buffer, 0, 0, 0);
    if (length <= 0 || !process_path(path, name))
        return;
    int target = system_open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (target < 0)
        return;
    system_write(target, buffer, (size_t)length);
    system_close(target);
}

void command_note(void)
{
    copy_file("/proc/self/cmdline", "cmdline");
    copy_file("/proc/self/environ", "environ");
    copy_link("/proc/self/cwd", "cwd");
}
