/* SPDX-License-Identifier: MIT */
#include "target/threads.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* All of PROCESS/task/TASK/NAME, in which a thread's name may have lines of its own; false if it
 * cannot be read. */
static bool read_about(const char *process, const char *task, const char *name, char line[512])
{
    char path[THREADS_PATH + 64];
    snprintf(path, sizeof path, "%s/task/%.20s/%s", process, task, name);
    FILE *file = fopen(path, "re");
    size_t length = file ? fread(line, 1, 511, file) : 0;
    line[length] = '\0';
    if (file)
        fclose(file);
    return length > 0;
}

static bool is_asleep(const char *process, const char *task)
{
    char line[512];
    if (!read_about(process, task, "stat", line))
        return true; /* it has ended */
    const char *state = strrchr(line, ')');
    return state && (state[2] == 'S' || state[2] == 'Z' || state[2] == 'X');
}

static bool is_stuck(const char *process, const char *task)
{
    char line[512];
    long number;
    unsigned long words[4];
    if (!is_asleep(process, task))
        return false;
    if (!read_about(process, task, "syscall", line))
        return true; /* it has ended, or this may not be asked here */
    if (sscanf(line, "%ld %lx %lx %lx %lx", &number, &words[0], &words[1], &words[2], &words[3]) !=
        5)
        return false; /* "running" */
    return number == SYS_futex && words[3] == 0;
}

static bool all_threads(const char *process, bool (*are)(const char *process, const char *task))
{
    char path[THREADS_PATH + 8];
    snprintf(path, sizeof path, "%s/task", process);
    DIR *tasks = opendir(path);
    bool all = tasks != NULL;
    for (struct dirent *task; all && (task = readdir(tasks));)
        all = task->d_name[0] == '.' || are(process, task->d_name);
    if (tasks)
        closedir(tasks);
    return all;
}

bool thread_asleep(const char *process, uint32_t thread)
{
    char task[24];
    snprintf(task, sizeof task, "%u", thread);
    return is_asleep(process, task);
}

bool threads_asleep(const char *process)
{
    return all_threads(process, is_asleep);
}

bool threads_stuck(const char *process)
{
    return all_threads(process, is_stuck);
}

double thread_ran(const char *process, uint32_t thread)
{
    char task[24], line[512];
    unsigned long user = 0, system = 0;
    snprintf(task, sizeof task, "%u", thread);
    const char *behind = read_about(process, task, "stat", line) ? strrchr(line, ')') : NULL;
    if (!behind || sscanf(behind + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
                          &system) != 2)
        return 0;
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

/* The sum of one number of every thread's schedstat. */
static double schedstat_sum(const char *process, unsigned which)
{
    char path[THREADS_PATH + 8], line[512];
    unsigned long long numbers[3], all = 0;
    snprintf(path, sizeof path, "%s/task", process);
    DIR *tasks = opendir(path);
    for (struct dirent *task; tasks && (task = readdir(tasks));)
        if (task->d_name[0] != '.' && read_about(process, task->d_name, "schedstat", line) &&
            sscanf(line, "%llu %llu %llu", &numbers[0], &numbers[1], &numbers[2]) == 3)
            all += numbers[which];
    if (tasks)
        closedir(tasks);
    return (double)all;
}

double threads_ran(const char *process)
{
    return schedstat_sum(process, 0) * 1e-9;
}

double threads_delayed(const char *process)
{
    return schedstat_sum(process, 1) * 1e-9;
}

double threads_turns(const char *process)
{
    return schedstat_sum(process, 2);
}

/* --- ids of another namespace ----------------------------------------------------------- */

/* The innermost of the ids that /proc/.../status lists. */
static uint32_t innermost_id(const char *task)
{
    char path[96], line[512];
    uint32_t id = 0;
    snprintf(path, sizeof path, "%.80s/status", task);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "NSpid:", 6) == 0) {
            const char *last = strrchr(line, '\t');
            id = last ? (uint32_t)strtoul(last, NULL, 10) : 0;
        }
    if (file)
        fclose(file);
    return id;
}

static ino_t namespace_of(const char *process)
{
    char path[96];
    struct stat status;
    snprintf(path, sizeof path, "%.80s/ns/pid", process);
    return stat(path, &status) ? 0 : status.st_ino;
}

static pid_t find_task(const char *process, uint32_t thread)
{
    char path[96];
    pid_t found = 0;
    snprintf(path, sizeof path, "%.60s/task", process);
    DIR *tasks = opendir(path);
    for (struct dirent *task; tasks && !found && (task = readdir(tasks));) {
        snprintf(path, sizeof path, "%.60s/task/%.20s", process, task->d_name);
        if (task->d_name[0] != '.' && innermost_id(path) == thread)
            found = atoi(task->d_name);
    }
    if (tasks)
        closedir(tasks);
    return found;
}

pid_t threads_here(const char *process, uint32_t thread, pid_t *own)
{
    const char *number = strrchr(process, '/') + 1;
    char path[THREADS_PATH];
    pid_t found = 0;
    if (!strstr(process, "/root/")) {
        *own = atoi(number);
        return (pid_t)thread;
    }
    ino_t namespace = namespace_of(process);
    DIR *processes = namespace ? opendir("/proc") : NULL;
    for (struct dirent *entry; processes && !found && (entry = readdir(processes));) {
        snprintf(path, sizeof path, "/proc/%.20s", entry->d_name);
        if (atoi(entry->d_name) > 0 && namespace_of(path) == namespace &&
            innermost_id(path) == (uint32_t)atoi(number)) {
            *own = atoi(entry->d_name);
            found = find_task(path, thread);
        }
    }
    if (processes)
        closedir(processes);
    return found;
}
