/* SPDX-License-Identifier: MIT */
#include "target/left_behind.h"

#include "base/array.h"
#include "target/processes.h"
#include "target/writer.h"

#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOOK 0.02 /* seconds between two looks */
#define ARRIVAL                                                                                    \
    2.0 /* a child forked at the last moment begins its recording, on a busy machine too */
#define SILENCE 0.5 /* until it is said that somebody is waited for */

struct left {
    const char *directory;
    struct ids ARRAY_OF(int) processes;
};

static volatile sig_atomic_t asked;

static void on_signal(int number)
{
    (void)number;
    asked = 1;
}

static double seconds_of(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* --- who lives ------------------------------------------------------------------ */

static unsigned count_tasks(int process)
{
    char path[64];
    unsigned count = 0;
    snprintf(path, sizeof path, "/proc/%d/task", process);
    DIR *tasks = opendir(path);
    for (struct dirent *entry; tasks && (entry = readdir(tasks));)
        count += entry->d_name[0] != '.';
    if (tasks)
        closedir(tasks);
    return count;
}

/* When it started, in seconds since the machine did; negative if it does not live. Its name may
 * hold anything, and its first thread may have ended before the others. */
static double started(int process)
{
    char path[64], text[1024];
    unsigned long long ticks;
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    FILE *file = fopen(path, "re");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[length] = '\0';
    const char *behind = strrchr(text, ')');
    if (!behind || behind[1] != ' ' || (behind[2] == 'Z' && count_tasks(process) < 2) ||
        sscanf(behind + 4,
               "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
               &ticks) != 1)
        return -1;
    return (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

/* The file says who recorded here. A process that started later has got the number of one that
 * has ended. (Its environment would tell as well, but some write their titles over it.) */
static void look(void *context, const char *directory)
{
    struct left *self = context;
    char path[PATH_MAX + 16];
    struct stat status;
    int process = 0;
    snprintf(path, sizeof path, "%s/process", directory);
    FILE *file = fopen(path, "re");
    if (file && fscanf(file, "%d", &process) == 1 && process > 0 &&
        fstat(fileno(file), &status) == 0) {
        double age = seconds_of(CLOCK_REALTIME) - (double)status.st_mtime;
        double start = started(process);
        if (start >= 0 && start < seconds_of(CLOCK_BOOTTIME) - age + 2)
            array_push(&self->processes, process);
    }
    if (file)
        fclose(file);
}

static size_t find(struct left *self)
{
    self->processes.count = 0;
    processes_each(self->directory, look, self);
    return self->processes.count;
}

/* Somebody has what is needed to record here. Most such processes never will: they are no programs
 * of preplay's. */
static bool is_anybody_to_come(const char *directory)
{
    bool found = false;
    DIR *all = opendir("/proc");
    for (struct dirent *entry; all && !found && (entry = readdir(all));) {
        int process = atoi(entry->d_name);
        found = process > 0 && process != getpid() && writer_records_into(process, directory);
    }
    if (all)
        closedir(all);
    return found;
}

/* A process that forks and ends while the list is read is in it, and its child is not: several
 * looks see such a chain of children. */
static bool is_to_come(const char *directory)
{
    for (unsigned looks = 0; looks < 4; looks++)
        if (is_anybody_to_come(directory))
            return true;
    return false;
}

/* --- waiting -------------------------------------------------------------------- */

static void say(const struct left *self, const char *what)
{
    bool one = self->processes.count == 1;
    fprintf(stderr, "preplay: the program has ended, but not all that it started: process%s",
            one ? "" : "es");
    for (size_t i = 0; i < self->processes.count; i++)
        fprintf(stderr, " %d", self->processes.items[i]);
    fprintf(stderr, " still record%s; %s\n", one ? "s" : "", what);
}

static void wait_for_all(struct left *self, double seconds)
{
    double begun = seconds_of(CLOCK_MONOTONIC), passed = 0;
    bool said = false;
    while ((find(self) || (passed < ARRIVAL && is_to_come(self->directory))) && !asked &&
           (seconds <= 0 || passed < seconds)) {
        passed = seconds_of(CLOCK_MONOTONIC) - begun;
        if (!said && passed > SILENCE && self->processes.count) {
            say(self, "waiting for the end (Ctrl-C: no longer)");
            said = true;
        }
        nanosleep(&(struct timespec){.tv_nsec = (long)(LOOK * 1e9)}, NULL);
    }
}

unsigned left_behind_wait(const char *directory, double seconds)
{
    struct left self = {.directory = directory};
    struct sigaction note = {.sa_handler = on_signal}, old[2];
    asked = 0;
    sigaction(SIGINT, &note, &old[0]);
    sigaction(SIGTERM, &note, &old[1]);
    wait_for_all(&self, seconds);
    sigaction(SIGINT, &old[0], NULL);
    sigaction(SIGTERM, &old[1], NULL);
    unsigned left = (unsigned)self.processes.count;
    if (left)
        say(&self, "what is recorded from here on is not analysed");
    array_free(&self.processes);
    return left;
}
