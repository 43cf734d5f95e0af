#include "replay/threads.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The first line of /proc/PROCESS/task/TASK/NAME; false if it cannot be read. */
static bool read_about(pid_t process, const char *task, const char *name, char line[512])
{
    char path[96];
    snprintf(path, sizeof path, "/proc/%d/task/%.20s/%s", (int)process, task, name);
    FILE *file = fopen(path, "re");
    bool got = file && fgets(line, 512, file);
    if (file)
        fclose(file);
    return got;
}

static bool is_asleep(pid_t process, const char *task)
{
    char line[512];
    if (!read_about(process, task, "stat", line))
        return true; /* it has ended */
    const char *state = strrchr(line, ')');
    return state && (state[2] == 'S' || state[2] == 'Z' || state[2] == 'X');
}

static bool is_stuck(pid_t process, const char *task)
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

static bool all_threads(pid_t process, bool (*are)(pid_t process, const char *task))
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *tasks = opendir(path);
    bool all = tasks != NULL;
    for (struct dirent *task; all && (task = readdir(tasks));)
        all = task->d_name[0] == '.' || are(process, task->d_name);
    if (tasks)
        closedir(tasks);
    return all;
}

bool thread_asleep(pid_t process, uint32_t thread)
{
    char task[24];
    snprintf(task, sizeof task, "%u", thread);
    return is_asleep(process, task);
}

bool threads_asleep(pid_t process)
{
    return all_threads(process, is_asleep);
}

bool threads_stuck(pid_t process)
{
    return all_threads(process, is_stuck);
}

double thread_ran(pid_t process, uint32_t thread)
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

double threads_ran(pid_t process)
{
    clockid_t clock;
    struct timespec time = {0};
    if (clock_getcpuclockid(process, &clock) == 0)
        clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

double threads_delayed(pid_t process)
{
    char path[64], line[512];
    double all = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *tasks = opendir(path);
    for (struct dirent *task; tasks && (task = readdir(tasks));) {
        unsigned long long ran, delayed;
        if (task->d_name[0] != '.' && read_about(process, task->d_name, "schedstat", line) &&
            sscanf(line, "%llu %llu", &ran, &delayed) == 2)
            all += (double)delayed * 1e-9;
    }
    if (tasks)
        closedir(tasks);
    return all;
}
