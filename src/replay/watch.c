#include "replay/watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Seconds. A thread that sleeps may be asleep for a good reason; all threads
 * asleep for this long, with the schedule not moving, are not coming. */
#define STALL_AFTER    2.0
#define DEADLOCK_AFTER 0.3

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int watch_open(struct watch *watch, const char *path, bool hold, struct error *error)
{
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0 || ftruncate(file, sizeof *watch->control)) {
        if (file >= 0)
            close(file);
        return error_set(error, ERROR_INTERNAL, "%s: cannot be made: %s", path, strerror(errno));
    }
    void *mapped = mmap(NULL, sizeof *watch->control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped == MAP_FAILED)
        return error_set(error, ERROR_INTERNAL, "%s: cannot be mapped: %s", path, strerror(errno));
    watch->control = mapped;
    watch->control->version = CONTROL_VERSION;
    watch->control->hold = hold;
    watch->started = watch->last_change = now();
    return 0;
}

void watch_close(struct watch *watch)
{
    if (watch->control)
        munmap(watch->control, sizeof *watch->control);
    watch->control = NULL;
}

/* Opens the gates from outside: a change of `turn` that is no step, as in the
 * runtime (runtime/schedule.h). */
static void set_free(struct watch *watch)
{
    watch->freed_at = now();
    watch->control->free = 1;
    watch->control->turn |= 1u << 31;
    syscall(SYS_futex, &watch->control->turn, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/* True if every thread of the process is asleep. */
static bool all_asleep(pid_t process)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *tasks = opendir(path);
    bool asleep = tasks != NULL;
    for (struct dirent *task; asleep && (task = readdir(tasks));) {
        if (task->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "/proc/%d/task/%.20s/stat", (int)process, task->d_name);
        FILE *file = fopen(path, "re");
        if (!file)
            continue;
        if (fgets(line, sizeof line, file)) {
            const char *state = strrchr(line, ')');
            asleep = state && (state[2] == 'S' || state[2] == 'Z' || state[2] == 'X');
        }
        fclose(file);
    }
    if (tasks)
        closedir(tasks);
    return asleep;
}

static bool all_blocked(const struct watch *watch)
{
    for (uint32_t i = 0; i < watch->targets; i++)
        if (!watch->control->targets[i].blocked)
            return false;
    return true;
}

static bool look_at_reached(struct watch *watch, pid_t process, double time)
{
    if (!watch->reached) {
        watch->reached = true;
        watch->reached_at = watch->last_change = time;
    }
    if (watch->kind != FINDING_DEADLOCK)
        return false;
    if (!all_blocked(watch) || !all_asleep(process)) {
        watch->last_change = time;
        return false;
    }
    watch->deadlock = time - watch->last_change > DEADLOCK_AFTER;
    return watch->deadlock;
}

static void look_at_running(struct watch *watch, pid_t process, double time)
{
    uint32_t turn = watch->control->turn;
    if (turn != watch->last_turn) {
        watch->last_turn = turn;
        watch->last_change = time;
    }
    /* The schedule is performed and no thread of the error is awaited: go on. */
    bool performed = turn == watch->steps;
    if (performed && (watch->kind == FINDING_ATOMICITY || watch->control->targets_missed)) {
        set_free(watch);
        return;
    }
    if (time - watch->last_change > STALL_AFTER && all_asleep(process)) {
        watch->stalled = !performed;
        set_free(watch);
    }
}

bool watch_look(struct watch *watch, pid_t process)
{
    double time = now();
    if (time - watch->started > watch->timeout) {
        watch->timed_out = true;
        return true;
    }
    uint32_t state = watch->control->state;
    switch (state) {
    case CONTROL_RUNNING:
        if (!watch->control->free)
            look_at_running(watch, process, time);
        return watch->stalled;
    case CONTROL_REACHED:
        return look_at_reached(watch, process, time);
    case CONTROL_DIVERGED:
    case CONTROL_REFUSED:
        watch->diverged = true;
        return true;
    default:
        return false;
    }
}
