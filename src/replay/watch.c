#include "replay/watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
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
/* Who waits for a spinlock does not sleep; on a busy machine that may just be a
 * thread that does not get its turn. */
#define SPINNING_AFTER 2.0
/* The program goes on freely after the error, and may hang for good as it did when it was
 * recorded. Looking for that costs more than looking at the control block. */
#define HUNG_AFTER  1.0
#define HUNG_GLANCE 0.1

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
    watch->started = watch->last_change = watch->last_running = now();
    return 0;
}

void watch_end(const struct watch *watch, pid_t started)
{
    pid_t process = (pid_t)watch->control->process;
    if (process > 0 && process != started)
        kill(process, SIGKILL);
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
    watch->control->free = 1;
    watch->control->turn |= 1u << 31;
    syscall(SYS_futex, &watch->control->turn, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

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

/* In a futex and without a time limit: only another thread can wake it. */
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

enum blocked { BLOCKED_NOT, BLOCKED_SPINNING, BLOCKED_ASLEEP };

/* Is every thread of the error inside its blocking call? */
static enum blocked how_blocked(const struct watch *watch, pid_t process)
{
    bool asleep = true;
    for (uint32_t i = 0; i < watch->targets; i++) {
        char task[24];
        if (!watch->control->targets[i].blocked)
            return BLOCKED_NOT;
        snprintf(task, sizeof task, "%u", watch->control->targets[i].kernel_thread);
        asleep &= is_asleep(process, task);
    }
    if (watch->others_may_help)
        return all_threads(process, is_stuck) ? BLOCKED_ASLEEP : BLOCKED_NOT;
    return asleep ? BLOCKED_ASLEEP : BLOCKED_SPINNING;
}

/* Nothing more will come: every thread waits for another one. */
static bool has_hung(struct watch *watch, pid_t process, double time)
{
    if (time - watch->last_glance < HUNG_GLANCE)
        return false;
    watch->last_glance = time;
    if (!all_threads(process, is_stuck))
        watch->last_running = time;
    return time - watch->last_running > HUNG_AFTER;
}

static bool look_at_reached(struct watch *watch, pid_t process, double time)
{
    if (!watch->reached) {
        watch->reached = true;
        watch->last_change = watch->last_awake = watch->last_running = time;
    }
    if (watch->kind != FINDING_DEADLOCK)
        return has_hung(watch, process, time);
    enum blocked blocked = how_blocked(watch, process);
    if (blocked == BLOCKED_NOT)
        watch->last_change = time;
    if (blocked != BLOCKED_ASLEEP)
        watch->last_awake = time;
    watch->deadlock =
        time - watch->last_awake > DEADLOCK_AFTER || time - watch->last_change > SPINNING_AFTER;
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
    if (performed && (!watch->targets || watch->control->targets_missed)) {
        set_free(watch);
        return;
    }
    if (time - watch->last_change <= STALL_AFTER || !all_threads(process, is_asleep))
        return;
    watch->stalled = !performed;
    if (performed)
        set_free(watch);
}

bool watch_look(struct watch *watch, pid_t process)
{
    double time = now();
    if (watch->control->process) /* a child of the one that was started, perhaps */
        process = (pid_t)watch->control->process;
    if (time - watch->started > watch->timeout) {
        watch->timed_out = true;
        return true;
    }
    uint32_t state = watch->control->state;
    switch (state) {
    case CONTROL_RUNNING:
        if (watch->control->free)
            return has_hung(watch, process, time);
        watch->last_running = time;
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
