/* SPDX-License-Identifier: MIT */
#include "replay/watch_ending.h"

#include "symbols/live_stack.h"
#include "target/threads.h"

#include <dirent.h>
#include <stdatomic.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of a program that hangs: so many threads, and of each so many frames. */
enum { THREADS_SHOWN = 8, FRAMES_SHOWN = 6 };

/* What starts programs and threads is the same for all. */
static bool is_above_main(const struct live_frame *frame)
{
    static const char *const names[] = {"__libc_start_call_main",
                                        "start_thread",
                                        "clone",
                                        "clone3",
                                        "__clone",
                                        "__clone3",
                                        "_start",
                                        NULL};
    for (int i = 0; frame->function && names[i]; i++)
        if (strcmp(frame->function, names[i]) == 0)
            return true;
    return false;
}

/* `where` becomes where the program itself stands. */
static void print_stack(FILE *out, const char *process, uint32_t thread, size_t most,
                        struct watch_ending *ending)
{
    struct live_frame frames[LIVE_FRAMES];
    pid_t own;
    pid_t outer = threads_here(process, thread, &own);
    size_t count = outer ? live_stack(own, outer, frames) : 0, named = 0;
    while (named + 1 < count && !frames[named].own)
        named++;
    if (count && !ending->where[0])
        snprintf(ending->where, sizeof ending->where, "%.200s %.800s",
                 frames[named].function ? frames[named].function : "?", frames[named].place);
    for (size_t i = 0; i < count && i < most && !is_above_main(&frames[i]); i++)
        fprintf(out, "%s\t%s\n", frames[i].function ? frames[i].function : "?", frames[i].place);
    live_stack_free(frames, count);
}

void watch_ending_look(struct watch_ending *ending, struct replay_control *control,
                       const char *process)
{
    struct control_crash *crash = &control->crash;
    size_t size;
    if (atomic_load(&crash->state) != 1)
        return;
    ending->signal = crash->signal;
    ending->address = crash->address;
    snprintf(ending->thread, sizeof ending->thread, "%.63s", crash->thread);
    free(ending->stack);
    FILE *out = open_memstream(&ending->stack, &size);
    if (out) {
        print_stack(out, process, crash->kernel_thread, LIVE_FRAMES, ending);
        fclose(out);
    }
    atomic_store(&crash->state, 2);
    syscall(SYS_futex, &crash->state, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

void watch_ending_hung(struct watch_ending *ending, const char *process)
{
    char path[THREADS_PATH + 8];
    size_t size, shown = 0;
    ending->hung = true;
    free(ending->stack);
    ending->stack = NULL;
    FILE *out = open_memstream(&ending->stack, &size);
    snprintf(path, sizeof path, "%s/task", process);
    DIR *tasks = out ? opendir(path) : NULL;
    for (struct dirent *task; tasks && shown < THREADS_SHOWN && (task = readdir(tasks));) {
        if (task->d_name[0] == '.')
            continue;
        if (shown++)
            fputs("--\t\n", out); /* the next thread's */
        print_stack(out, process, (uint32_t)atoi(task->d_name), FRAMES_SHOWN, ending);
    }
    if (tasks)
        closedir(tasks);
    if (out)
        fclose(out);
}
