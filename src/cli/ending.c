#include "cli/ending.h"

#include "trace/binary_wishes.h"

#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

/* Children have directories inside. */
static void count(struct binary_waiting *waiting, const char *directory)
{
    char path[PATH_MAX];
    binary_waiting_count(waiting, directory);
    DIR *folder = opendir(directory);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (strncmp(entry->d_name, "process-", 8) == 0 &&
            snprintf(path, sizeof path, "%s/%s", directory, entry->d_name) < PATH_MAX)
            count(waiting, path);
    if (folder)
        closedir(folder);
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
    if (!killed && !recording->stopped && !recording->hung)
        return;
    count(&waiting, recording->directory);
    fputs("preplay: ", stderr);
    if (waiting.waiting)
        say_threads(&waiting);
    else
        fputs("the program was ", stderr);
    if (recording->hung)
        fprintf(stderr, "stopped after %.1f s, since none can ever go on\n", recording->seconds);
    else if (recording->stopped)
        fprintf(stderr, "stopped after %.1f s (--stop-after)\n", recording->seconds);
    else
        fprintf(stderr, "ended by %s (SIG%s) after %.1f s\n",
                strsignal(WTERMSIG(recording->status)), sigabbrev_np(WTERMSIG(recording->status)),
                recording->seconds);
}
