/* SPDX-License-Identifier: MIT */
#include "target/side_by_side.h"

#include "base/files.h"
#include "base/memory.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct child {
    pid_t process;
    FILE *output;
};

static int start(struct child *child, int (*task)(void *context, size_t number), void *context,
                 size_t number, struct error *error)
{
    pid_t parent = getpid();
    fflush(stdout);
    child->output = tmpfile();
    child->process = child->output ? fork() : -1;
    if (child->process < 0)
        return error_set(error, ERROR_INTERNAL, "cannot start a process: %s", strerror(errno));
    if (child->process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* and what it has started goes with it */
        if (getppid() != parent)
            _exit(ERROR_INTERNAL);
        dup2(fileno(child->output), STDOUT_FILENO);
        int code = task(context, number);
        fflush(stdout);
        _exit(code);
    }
    return 0;
}

static int wait_for(const struct child *child)
{
    int status;
    while (waitpid(child->process, &status, 0) < 0)
        if (errno != EINTR)
            return ERROR_INTERNAL;
    return WIFEXITED(status) ? WEXITSTATUS(status) : ERROR_INTERNAL;
}

static void show(struct child *child)
{
    char block[4096];
    size_t got;
    rewind(child->output);
    while ((got = fread(block, 1, sizeof block, child->output)) > 0)
        fwrite(block, 1, got, stdout);
    fclose(child->output);
}

int side_by_side(size_t count, size_t limit, int (*task)(void *context, size_t number),
                 void *context, struct error *error)
{
    struct child *children = NEW_ARRAY(struct child, count);
    size_t started = 0, ended = 0;
    int worst = 0;
    while (ended < count) {
        while (started < count && started - ended < limit && worst >= 0) {
            if (start(&children[started], task, context, started, error))
                worst = -1;
            else
                started++;
        }
        if (ended == started)
            break;
        /* In order: a later one that is done already waits for its turn to be shown. */
        int code = wait_for(&children[ended]);
        show(&children[ended++]);
        if (worst >= 0 && code > worst)
            worst = code;
    }
    free(children);
    return worst;
}

/* Threads of the whole machine that run or wait for a processor; we are one of them. */
static long busy(void)
{
    char line[256];
    long running = 1;
    FILE *file = files_read("/proc/stat");
    while (file && fgets(line, sizeof line, file))
        sscanf(line, "procs_running %ld", &running);
    if (file)
        fclose(file);
    return running;
}

size_t side_by_side_free(void)
{
    cpu_set_t ours;
    if (sched_getaffinity(0, sizeof ours, &ours))
        return 1;
    long others = busy() - 1, processors = CPU_COUNT(&ours);
    return others > 0 && others >= processors ? 1
                                              : (size_t)(processors - (others > 0 ? others : 0));
}
