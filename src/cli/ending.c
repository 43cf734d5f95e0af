#include "cli/ending.h"

#include "cli/processes.h"
#include "trace/binary_wishes.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
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

void ending_say(const struct recording *recording)
{
    struct binary_waiting waiting = {0};
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

void ending_say_incomplete(const char *directory)
{
    char path[4400], reason[300] = "";
    snprintf(path, sizeof path, "%s/stopped", directory);
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    if (fscanf(file, "%*u %299[^\n]", reason) != 1)
        strcpy(reason, "it stopped early");
    fclose(file);
    for (char *at = reason; *at; at++)
        if (!isprint((unsigned char)*at))
            *at = '?'; /* a file may hold anything */
    fprintf(stderr,
            "preplay: the recording is incomplete (%s): nothing is said about what the program did "
            "after that\n",
            reason);
}
