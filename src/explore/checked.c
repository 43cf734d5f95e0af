/* SPDX-License-Identifier: MIT */
#include "explore/checked.h"

#include "base/files.h"
#include "explore/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_FOUND = 127 }; /* a shell's exit code */

struct checked {
    bool ended, looked;          /* the program; the command */
    int status, status_of_check; /* as from waitpid() */
};

struct checked *checked_create(void)
{
    void *page = mmap(NULL, sizeof(struct checked), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? NULL : page;
}

void checked_destroy(struct checked *checked)
{
    if (checked)
        munmap(checked, sizeof *checked);
}

static int wait_for(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

static void use_file(const char *path, int flags, int as)
{
    int file = open(path, flags | O_CLOEXEC, FILES_MODE);
    if (file >= 0)
        dup2(file, as);
}

static _Noreturn void become_command(const char *command, const char *output)
{
    char said[PATH_MAX];
    output_of_check(said, output);
    use_file(output, O_RDONLY, STDIN_FILENO);
    use_file(said, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
    dup2(STDOUT_FILENO, STDERR_FILENO);
    execl("/bin/sh", "sh", "-c", command, NULL);
    _exit(NOT_FOUND);
}

_Noreturn void checked_become(struct checked *checked, const char *command, const char *output,
                              const struct checked_program *program)
{
    memset(checked, 0, sizeof *checked);
    pid_t child = fork();
    if (child == 0) {
        program->become(program->context);
        _exit(NOT_FOUND);
    }
    signal(SIGTERM, SIG_IGN); /* they are for the program, which has gone or will */
    signal(SIGHUP, SIG_IGN);
    checked->status = wait_for(child);
    checked->ended = child > 0;
    if (checked->ended && WIFEXITED(checked->status) && program->page->end <= STEP_EXITED) {
        child = fork();
        if (child == 0)
            become_command(command, output);
        checked->status_of_check = wait_for(child);
        checked->looked = child > 0;
    }
    _exit(0);
}

int checked_result(struct checked *checked, const char *command, struct stepped_run *run,
                   struct error *error)
{
    if (checked->ended)
        run->status = checked->status;
    run->checked = checked->looked;
    run->check_status = checked->status_of_check;
    if (run->checked && WIFEXITED(run->check_status) && WEXITSTATUS(run->check_status) == NOT_FOUND)
        return error_set(error, ERROR_USAGE, "--check: no such command: %s", command);
    return 0;
}
