/* SPDX-License-Identifier: MIT */
#include "target/blocked.h"

#include <dirent.h>
#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

enum { TASK_PATH = 512 };

void blocked_status(int process, const char *name, char text[64])
{
    char line[256];
    size_t length = strlen(name);
    text[0] = '\0';
    snprintf(line, sizeof line, "/proc/%d/status", process);
    FILE *file = fopen(line, "re");
    while (file && !text[0] && fgets(line, sizeof line, file))
        if (strncmp(line, name, length) == 0 && line[length] == ':')
            sscanf(line + length + 1, "%63s", text);
    if (file)
        fclose(file);
}

/* Memory that other processes may have, too. */
static bool is_shared(int process, unsigned long address)
{
    char line[512], access[8] = "";
    unsigned long low, high;
    snprintf(line, sizeof line, "/proc/%d/maps", process);
    FILE *file = fopen(line, "re");
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file))
        found = sscanf(line, "%lx-%lx %7s", &low, &high, access) == 3 && address >= low &&
                address < high;
    if (file)
        fclose(file);
    return found && access[3] == 's';
}

/* The number of the call and its arguments, in one line. */
static bool is_endless(int process, const char *line)
{
    unsigned long number, word, operation, timeout;
    if (sscanf(line, "%lu %lx %lx %*x %lx", &number, &word, &operation, &timeout) != 4)
        return false; /* "running", or in no call */
    int command = (int)operation & FUTEX_CMD_MASK;
    return number == SYS_futex && !timeout &&
           (operation & FUTEX_PRIVATE_FLAG || !is_shared(process, word)) &&
           (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET || command == FUTEX_LOCK_PI ||
            command == FUTEX_LOCK_PI2 || command == FUTEX_WAIT_REQUEUE_PI);
}

/* The first thread of a process may have ended before the others: it is in none. */
static bool is_zombie(const char *task)
{
    char path[TASK_PATH + 8], line[512];
    snprintf(path, sizeof path, "%s/stat", task);
    FILE *file = fopen(path, "re");
    /* The name may have anything in it, a line's end as well. */
    size_t length = file ? fread(line, 1, sizeof line - 1, file) : 0;
    line[length] = '\0';
    const char *behind = strrchr(line, ')');
    if (file)
        fclose(file);
    return behind && behind[1] == ' ' && behind[2] == 'Z';
}

static bool thread_is_blocked(int process, const char *task)
{
    char path[TASK_PATH + 8], line[256];
    snprintf(path, sizeof path, "%s/syscall", task);
    FILE *file = fopen(path, "re");
    if (!file)
        return errno == ENOENT;
    bool blocked = fgets(line, sizeof line, file) && is_endless(process, line);
    fclose(file);
    return blocked || is_zombie(task);
}

bool blocked_for_good(int process)
{
    char path[64], task[TASK_PATH];
    snprintf(path, sizeof path, "/proc/%d/task", process);
    DIR *tasks = opendir(path);
    bool blocked = tasks != NULL;
    for (struct dirent *entry; blocked && (entry = readdir(tasks));) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(task, sizeof task, "%s/%s", path, entry->d_name);
        blocked = thread_is_blocked(process, task);
    }
    if (tasks)
        closedir(tasks);
    return blocked;
}

/* Those that timer_create() made. */
static bool has_timers(int process)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/timers", process);
    FILE *file = fopen(path, "re");
    bool any = file && fgetc(file) != EOF;
    if (file)
        fclose(file);
    return any;
}

bool blocked_until_moved(int process)
{
    char tracer[64], caught[64];
    blocked_status(process, "TracerPid", tracer);
    blocked_status(process, "SigCgt", caught);
    uint64_t signals = strtoull(caught, NULL, 16);
    /* Whether alarm() was called nobody tells. Valgrind catches every signal there is, for itself:
     * then nobody tells what the program does with it. */
    bool alarm = signals >> (SIGALRM - 1) & 1 && signals >> 33 != UINT64_MAX >> 33;
    return atoi(tracer) || alarm || has_timers(process);
}
