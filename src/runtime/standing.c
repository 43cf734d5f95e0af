#include "runtime/standing.h"

#include "runtime/system.h"
#include "runtime/turns.h"

#include <linux/futex.h>

struct schedule_target *standing_target(const struct schedule_thread *thread, uint32_t index)
{
    struct schedule_target *target = thread->target;
    return target && target->index == index ? target : NULL;
}

static bool all_arrived(void)
{
    for (uint32_t i = 0; i < turns_schedule.target_count; i++)
        if (!atomic_load(&turns_control->targets[i].arrived))
            return false;
    return true;
}

void standing_acquire(struct recorder *self, struct schedule_thread *thread,
                      const struct schedule_target *target)
{
    struct control_target *place = &turns_control->targets[target->number];
    if (!turns_wait(thread, turns_schedule.step_count))
        return;
    atomic_store(&place->kernel_thread, system_thread());
    atomic_store(&place->arrived, 1);
    if (all_arrived()) {
        turns_reached();
        turns_open();
    }
    while (!turns_are_free() && !all_arrived())
        system_call(SYS_futex, (long)&place->blocked, FUTEX_WAIT, 0, (long)&turns_schedule.glance,
                    0, 0);
    self->at_target = true;
}

static bool overlap(void)
{
    const struct control_target *a = &turns_control->targets[0], *b = &turns_control->targets[1];
    return a->address < b->address + b->size && b->address < a->address + a->size;
}

static void let_go(uint32_t number)
{
    atomic_store(&turns_control->targets[number].arrived, 0);
    turns_wake_at(&turns_control->targets[number].arrived);
}

void standing_access(struct schedule_thread *thread, const struct schedule_target *target,
                     uintptr_t address, uint32_t size)
{
    if (!turns_wait(thread, turns_schedule.step_count))
        return;
    struct control_target *place = &turns_control->targets[target->number];
    place->address = address;
    place->size = size;
    atomic_store(&place->kernel_thread, system_thread());
    atomic_store(&place->arrived, 1);
    if (turns_schedule.target_count != 2)
        return;
    if (all_arrived()) {
        if (overlap()) {
            turns_reached();
            turns_open();
            return;
        }
        let_go(!target->number);
    }
    while (!turns_are_free() && atomic_load(&place->arrived))
        system_call(SYS_futex, (long)&place->arrived, FUTEX_WAIT, 1, (long)&turns_schedule.glance,
                    0, 0);
}
