/* SPDX-License-Identifier: MIT */
#include "target/ending.h"

#include "target/processes.h"
#include "trace/recorded/binary_stop.h"
#include "trace/recorded/binary_wishes.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static void count(void *waiting, const char *directory)
{
    binary_waiting_count(waiting, directory);
}

static void say_threads(const struct binary_waiting *waiting)
{
    if (waiting->waiting == waiting->threads)
        fprintf(stderr, "the program hung: %u thread%s waiting", waiting->waiting,
                waiting->waiting == 1 ? " was" : "s were");
    else
        fprintf(stderr, "%u of the program's %u threads %s waiting", waiting->waiting,
                waiting->threads, waiting->waiting == 1 ? "was" : "were");
    fputs("; ", stderr);
}

static void add_cut_off(void *context, const char *directory)
{
    unsigned *sum = context, count;
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/cut_off", directory);
    FILE *file = fopen(path, "re");
    if (file && fscanf(file, "%u", &count) == 1 && count < 1000000)
        *sum += count;
    if (file)
        fclose(file);
}

static void say_cut_off(const char *directory)
{
    unsigned count = 0;
    processes_each(directory, add_cut_off, &count);
    if (count)
        fprintf(
            stderr,
            "preplay: %u thread%s could have gone on when the program ended; what %s left to do "
            "is not in the trace\n",
            count, count == 1 ? "" : "s", count == 1 ? "it had" : "they had");
}

void ending_say(const struct recording *recording)
{
    struct binary_waiting waiting = {0};
    say_cut_off(recording->directory);
    bool killed = WIFSIGNALED(recording->status);
    if (recording->hung || (!killed && !recording->stopped))
        return;
    processes_each(recording->directory, count, &waiting);
    fputs("preplay: ", stderr);
    if (waiting.waiting)
        say_threads(&waiting);
    else
        fputs("the program was ", stderr);
    if (recording->stopped)
        fprintf(stderr, "stopped after %.1f s (--stop-after)\n", recording->seconds);
    else
        fprintf(stderr, "ended by %s (SIG%s) after %.1f s\n",
                strsignal(WTERMSIG(recording->status)), sigabbrev_np(WTERMSIG(recording->status)),
                recording->seconds);
}

struct limited {
    bool found;
};

static void look_for_limit(void *context, const char *directory)
{
    struct limited *limited = context;
    char *reason;
    binary_stop_read(directory, &reason);
    limited->found |= reason && strstr(reason, "--max-trace");
    free(reason);
}

void ending_say_limit(const struct recording *recording)
{
    struct limited limited = {false};
    if (!recording->share)
        return;
    processes_each(recording->directory, look_for_limit, &limited);
    if (limited.found)
        fprintf(stderr,
                "preplay: the limit was %.1f MiB, a quarter of what was free on the disk; "
                "--max-trace SIZE sets another, 0 none\n",
                (double)recording->limit / (1 << 20));
}
