/* SPDX-License-Identifier: MIT */
#include "runtime/enforce.h"
#include "runtime/crash.h"
#include "runtime/enforce_steps.h"
#include "runtime/inputs.h"
#include "runtime/played_waits.h"
#include "runtime/standing.h"
#include "runtime/text.h"

#include <linux/futex.h>
#include <stdlib.h>

bool enforce_active;

uint64_t enforce_child_path(uint64_t path, uint32_t child)
{
    return (path ^ child) * UINT64_C(0xd6e8feb86659fd93) + 1;
}

void enforce_thread(struct recorder *self, uint64_t path)
{
    self->path = path;
    self->gate_index = self->step_cursor = 0;
    self->input_cursors[0] = self->input_cursors[1] = 0;
    self->owed = 0;
    self->holds = false;
    self->scheduled = 0;
    self->missed = false;
    self->racing = 0;
    self->at_target = false;
    for (uint32_t i = 0; enforce_active && i < turns_schedule.thread_count; i++)
        if (turns_schedule.threads[i].path == path)
            self->scheduled = i + 1;
}

/* Under a debugger, whose own standard input is the user's. */
static void take_input(void)
{
    const char *path = getenv("PREPLAY_INPUT");
    int file = path ? system_open(path, O_RDONLY, 0) : -1;
    if (file < 0)
        return;
    system_call(SYS_dup2, file, 0, 0, 0, 0, 0);
    system_close(file);
}

void enforce_start(void)
{
    const char *path = getenv("PREPLAY_REPLAY"), *shared = getenv("PREPLAY_CONTROL");
    if (!path || !shared)
        return;
    int file = system_open(shared, O_RDWR, 0);
    if (file < 0)
        return;
    turns_control = system_map(file, 0, sizeof *turns_control);
    system_close(file);
    if (!turns_control || turns_control->version != CONTROL_VERSION)
        return;
    uint32_t state = atomic_load(&turns_control->state);
    bool again = state == CONTROL_RUNNING && turns_control->process == system_process();
    if (state != CONTROL_WAITING && !again)
        return;
    turns_control->process = system_process();
    atomic_store(&turns_control->turn, 0);
    if (!schedule_load(&turns_schedule, path)) {
        text_append(turns_control->message, 0, CONTROL_MESSAGE,
                    "the schedule cannot be read by the target");
        atomic_store(&turns_control->state, CONTROL_REFUSED);
        return;
    }
    take_input();
    inputs_start();
    atomic_store(&turns_control->state, CONTROL_RUNNING);
    enforce_active = true;
    crash_watch();
}

void enforce_forget(void)
{
    enforce_active = false;
    played_waits_forget();
}

/* main() may return while threads that nobody joins are on their way to the error:
 * the process ends when they are there, or when the watchdog opens the gates. A thread
 * that has steps left and ends the program will never perform them. */
__attribute__((destructor)) static void wait_for_schedule(void)
{
    struct recorder *self = enforce_active ? recorder_current : NULL;
    if (self)
        both_orders_settle(self);
    struct schedule_thread *thread = self ? enforce_thread_of(self) : NULL;
    uint32_t position;
    const struct schedule_step *step = thread ? enforce_next_step(self, thread, &position) : NULL;
    if (step && !turns_are_free() && !schedule_is_access(step->op))
        turns_diverge(thread, step, SCHEDULE_EXIT, self->gate_index);
    while (enforce_active && !turns_are_free() &&
           atomic_load(&turns_control->state) == CONTROL_RUNNING)
        system_call(SYS_futex, (long)&turns_control->free, FUTEX_WAIT, 0,
                    (long)&turns_schedule.glance, 0, 0);
}
