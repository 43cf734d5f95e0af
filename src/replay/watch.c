/* SPDX-License-Identifier: MIT */
#include "replay/watch.h"

#include "base/files.h"
#include "replay/watch_ending.h"
#include "target/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Seconds. A thread that sleeps may be asleep for a good reason; all threads asleep for this long,
 * with the schedule not moving, are not coming. What may wake up by itself has at least as long as
 * the recorded run took. */
#define STALL_AFTER 2.0
/* If only another thread could wake each of them, nobody does. */
#define STUCK_AFTER    0.5
#define DEADLOCK_AFTER 0.3
/* Who waits for a spinlock does not sleep. On a busy machine that may just be a thread that does
 * not get its turn: it counts how long it ran. */
#define SPUN_FOR 0.3
/* The program goes on freely after the error, and may hang for good as it did when it was
 * recorded. */
#define HUNG_AFTER 1.0
/* Looking at threads costs more than looking at the control block. */
#define GLANCE 0.1
/* Time passes for the watchdog, too, when it gets no processor, or is stopped: from one look to the
 * next no more than this counts. */
#define LOOK_AT_MOST   0.05
#define GLANCE_AT_MOST (2 * GLANCE)
/* Unless the user has said how long, what a busy machine keeps from the program is added: up to so
 * many times the time that it has. */
#define LONGER_AT_MOST 9

/* Who is asleep for so long behind its access, or before the other's, does not come. */
#define STAGE_ASLEEP 0.06
/* A program may compute as long between two steps as in the whole recorded run, and somewhat
 * longer; at the end it may take another way, and so even longer. */
#define SPINS_FROM    0.5
#define SPINS_TIMES   2
#define ENDLESS_FROM  3.0
#define ENDLESS_TIMES 6
/* Who looks for something and sleeps a little in between, again and again, is neither asleep nor
 * uses a processor: so often, each time for less than this, and no step in so many seconds. */
#define POLLS_TURNS 300
#define POLLS_RAN   0.0005
#define POLLS_FROM  0.5
/* After a divergence, in seconds and in times of the recorded run; and so many times that, not
 * counting what the threads waited for a processor, where the error is likely to come all the same.
 */
#define RUNS_ON 1.0
#define TO_END  5

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int watch_open(struct watch *watch, const char *path, bool hold, struct error *error)
{
    int file = files_create(path);
    /* Its blocks are taken now: a full disk would be a SIGBUS when it is written to. */
    int reason = file < 0 ? errno : posix_fallocate(file, 0, sizeof *watch->control);
    if (reason) {
        if (file >= 0)
            close(file);
        remove(path);
        return error_set(error, ERROR_INTERNAL, "%s: cannot be made: %s", path, strerror(reason));
    }
    void *mapped = mmap(NULL, sizeof *watch->control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped == MAP_FAILED)
        return error_set(error, ERROR_INTERNAL, "%s: cannot be mapped: %s", path, strerror(errno));
    watch->control = mapped;
    watch->control->version = CONTROL_VERSION;
    watch->control->hold = hold;
    watch->started = watch->last_change = watch->last_look = watch->last_glance = now();
    return 0;
}

void watch_close(struct watch *watch)
{
    if (watch->control)
        munmap(watch->control, sizeof *watch->control);
    watch->control = NULL;
    free(watch->ending.stack);
    watch->ending.stack = NULL;
}

/* Opens the gates from outside, as the runtime does. */
static void set_free(struct watch *watch)
{
    watch->control->free = 1;
    watch->control->turn |= CONTROL_FREE_BIT;
    syscall(SYS_futex, &watch->control->turn, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/* --- time that counts ----------------------------------------------------------- */

static double at_most(double seconds, double limit)
{
    return seconds < limit ? seconds : limit;
}

/* Seconds since the last glance, if it is time for another; else 0. */
static double glance(struct watch *watch, double time)
{
    double seconds = time - watch->last_glance;
    if (seconds < GLANCE)
        return 0;
    watch->last_glance = time;
    return at_most(seconds, GLANCE_AT_MOST);
}

static bool time_is_up(const struct watch *watch, const char *process, double time)
{
    double over = time - watch->started - watch->timeout;
    return over > 0 && (!watch->may_take_longer || over > LONGER_AT_MOST * watch->timeout ||
                        over > threads_delayed(process));
}

/* --- the error ------------------------------------------------------------------- */

enum blocked { BLOCKED_NOT, BLOCKED_AWAKE, BLOCKED_SPINNING, BLOCKED_ASLEEP };

static enum blocked target_blocked(struct watch *watch, const char *process, uint32_t number)
{
    const struct control_target *target = &watch->control->targets[number];
    struct watch_target *seen = &watch->seen[number];
    uint32_t thread = target->kernel_thread;
    if (!target->blocked) {
        seen->blocked = false;
        return BLOCKED_NOT;
    }
    if (!seen->blocked)
        *seen = (struct watch_target){.blocked = true, .ran = thread_ran(process, thread)};
    return thread_asleep(process, thread)                        ? BLOCKED_ASLEEP
           : thread_ran(process, thread) - seen->ran >= SPUN_FOR ? BLOCKED_SPINNING
                                                                 : BLOCKED_AWAKE;
}

/* Is every thread of the error inside its blocking call? */
static enum blocked how_blocked(struct watch *watch, const char *process)
{
    enum blocked least = BLOCKED_ASLEEP;
    for (uint32_t i = 0; i < watch->targets; i++) {
        enum blocked one = target_blocked(watch, process, i);
        least = one < least ? one : least;
    }
    if (least > BLOCKED_NOT && watch->others_may_help)
        return threads_stuck(process) ? BLOCKED_ASLEEP : BLOCKED_NOT;
    return least;
}

/* Nothing more will come: every thread waits for another one. */
static bool has_hung(struct watch *watch, const char *process, double time)
{
    double seconds = glance(watch, time), ran;
    if (seconds == 0)
        return false;
    ran = threads_ran(process);
    watch->stuck_for = threads_stuck(process) && ran == watch->ran ? watch->stuck_for + seconds : 0;
    watch->ran = ran;
    if (watch->stuck_for > HUNG_AFTER)
        watch_ending_hung(&watch->ending, process);
    return watch->ending.hung;
}

/* It is on its own and uses up far more processor time than the whole recorded run. */
static bool runs_without_end(struct watch *watch, const char *process)
{
    double spent = threads_ran(process) - watch->ran_before;
    if (watch->recorded_cpu <= 0 || spent < ENDLESS_FROM ||
        spent < ENDLESS_TIMES * watch->recorded_cpu)
        return false;
    watch_ending_hung(&watch->ending, process);
    watch->ending.ran = spent;
    return true;
}

/* The first of the two accesses has been made, or the second: who sleeps now, or computes, comes to
 * nothing that would tell. */
static void look_at_stage(struct watch *watch, const char *process, double seconds)
{
    uint32_t stage = watch->control->stage;
    if (stage != CONTROL_FIRST && stage != CONTROL_SECOND)
        return;
    uint32_t number = (watch->first == 1) == (stage == CONTROL_FIRST) ? 0 : 1;
    uint32_t thread = watch->control->targets[number].kernel_thread;
    if (stage != watch->last_stage) {
        watch->last_stage = stage;
        watch->stage_asleep = 0;
        watch->stage_ran = thread_ran(process, thread);
    }
    watch->stage_asleep = thread_asleep(process, thread) ? watch->stage_asleep + seconds : 0;
    if (watch->stage_asleep < STAGE_ASLEEP &&
        thread_ran(process, thread) - watch->stage_ran < SPUN_FOR)
        return;
    if (atomic_compare_exchange_strong(&watch->control->stage, &stage, stage + 1))
        syscall(SYS_futex, &watch->control->stage, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
    if (stage == CONTROL_SECOND)
        set_free(watch);
}

static bool look_at_reached(struct watch *watch, const char *process, double time, double seconds)
{
    if (!watch->reached) {
        watch->reached = true;
        watch->asleep_for = watch->stuck_for = 0;
        watch->ran_before = threads_ran(process);
    }
    if (watch->stops_at_error && watch->kind == FINDING_RACE)
        return true;
    look_at_stage(watch, process, seconds);
    if (watch->kind != FINDING_DEADLOCK)
        return has_hung(watch, process, time) || runs_without_end(watch, process);
    enum blocked blocked = how_blocked(watch, process);
    watch->asleep_for = blocked == BLOCKED_ASLEEP ? watch->asleep_for + seconds : 0;
    watch->deadlock = watch->asleep_for > DEADLOCK_AFTER || blocked == BLOCKED_SPINNING;
    return watch->deadlock;
}

/* --- the way there ---------------------------------------------------------------- */

/* Who waits for a processor, or is stopped, is not asleep. One that looks for something again and
 * again is asleep most of the time. */
static bool has_stalled(struct watch *watch, const char *process, double time)
{
    double seconds = time - watch->last_change > GLANCE ? glance(watch, time) : 0;
    if (seconds == 0)
        return false;
    if (!threads_asleep(process)) {
        watch->asleep_for -= at_most(seconds, watch->asleep_for);
        return false;
    }
    watch->asleep_for += seconds;
    return (watch->asleep_for > STALL_AFTER && watch->asleep_for > watch->recorded) ||
           (watch->asleep_for > STUCK_AFTER && threads_stuck(process));
}

/* No step comes, and not because the program sleeps. */
static bool has_spun(const struct watch *watch, const char *process, double time)
{
    if (watch->recorded_cpu <= 0 || time - watch->last_change < SPINS_FROM / 4)
        return false;
    double spent = threads_ran(process) - watch->ran_before;
    return spent > SPINS_FROM && spent > SPINS_TIMES * watch->recorded_cpu;
}

/* No step comes, for what somebody polls for is what another thread's step would bring. */
static bool has_polled(const struct watch *watch, const char *process, double time)
{
    double passed = time - watch->last_change;
    if (passed < POLLS_FROM || passed < SPINS_TIMES * watch->recorded)
        return false;
    passed -= threads_delayed(process) - watch->delayed_before;
    double turns = threads_turns(process) - watch->turns_before;
    double spent = threads_ran(process) - watch->ran_before;
    return passed > POLLS_FROM && passed > SPINS_TIMES * watch->recorded && turns > POLLS_TURNS &&
           spent < POLLS_RAN * turns;
}

static void look_at_running(struct watch *watch, const char *process, double time)
{
    uint32_t turn = watch->control->turn;
    if (turn != watch->last_turn) {
        watch->last_turn = turn;
        watch->last_change = time;
        watch->asleep_for = 0;
        watch->ran_before = threads_ran(process);
        watch->turns_before = threads_turns(process);
        watch->delayed_before = threads_delayed(process);
    }
    /* The schedule is performed and no thread of the error is awaited: go on. */
    bool performed = turn == watch->steps;
    if (performed && (!watch->targets || watch->control->targets_missed)) {
        set_free(watch);
        return;
    }
    watch->spinning = has_spun(watch, process, time);
    if (!watch->spinning && !has_polled(watch, process, time) && !has_stalled(watch, process, time))
        return;
    watch->stalled = !performed;
    if (performed)
        set_free(watch);
}

static bool has_run_on(const struct watch *watch, const char *process, double time)
{
    double passed = time - watch->left_at;
    double most = watch->recorded > RUNS_ON ? watch->recorded : RUNS_ON;
    if (passed <= most || !watch->happens_anyway)
        return passed > most;
    return passed - (threads_delayed(process) - watch->delayed_before) > most * TO_END;
}

static void note_left(struct watch *watch, const char *process, double time)
{
    watch->left_at = time;
    watch->stuck_for = 0;
    watch->ran_before = threads_ran(process);
    watch->delayed_before = threads_delayed(process);
}

/* The program has left the schedule, and goes on as it likes: for a while, to see if it fails, or
 * does again what it did when it was recorded. */
static bool look_at_left(struct watch *watch, const char *process, double time)
{
    if (!watch->diverged) {
        watch->diverged = true;
        note_left(watch, process, time);
    }
    return !(watch->runs_on || watch->happens_anyway) || has_run_on(watch, process, time) ||
           has_hung(watch, process, time);
}

static bool look_at_free(struct watch *watch, const char *process, double time)
{
    return has_hung(watch, process, time) || runs_without_end(watch, process) ||
           (watch->stalled && has_run_on(watch, process, time));
}

/* The schedule does not go on: the end, unless the error may come without it. */
static bool ends_at_stall(struct watch *watch, const char *process, double time)
{
    if (watch->stalled && watch->happens_anyway) {
        note_left(watch, process, time);
        set_free(watch);
        return false;
    }
    return watch->stalled;
}

/* The process that follows the schedule, once there is one: perhaps a child of the one that was
 * started, and perhaps with ids of a PID namespace of its own. */
static void find_process(const struct watch *watch, pid_t started, char process[THREADS_PATH])
{
    uint32_t follower = watch->control->process;
    if (follower && watch->own_processes)
        snprintf(process, THREADS_PATH, "/proc/%d/root/proc/%u", (int)started, follower);
    else
        snprintf(process, THREADS_PATH, "/proc/%u", follower ? follower : (uint32_t)started);
}

static bool look(struct watch *watch, pid_t started)
{
    char process[THREADS_PATH];
    double time = now(), seconds = at_most(time - watch->last_look, LOOK_AT_MOST);
    watch->last_look = time;
    find_process(watch, started, process);
    watch_ending_look(&watch->ending, watch->control, process);
    if (time_is_up(watch, process, time)) {
        watch->timed_out = true;
        return true;
    }
    uint32_t state = watch->control->state;
    switch (state) {
    case CONTROL_RUNNING:
        if (watch->control->free)
            return look_at_free(watch, process, time);
        look_at_running(watch, process, time);
        return ends_at_stall(watch, process, time);
    case CONTROL_REACHED:
        return look_at_reached(watch, process, time, seconds);
    case CONTROL_DIVERGED:
        return look_at_left(watch, process, time);
    case CONTROL_REFUSED:
        watch->diverged = true;
        return true;
    default:
        return false;
    }
}

bool watch_look(struct watch *watch, pid_t started)
{
    watch->killed = look(watch, started);
    return watch->killed;
}
