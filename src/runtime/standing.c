/* SPDX-License-Identifier: MIT */
#include "runtime/standing.h"

#include "runtime/system.h"
#include "runtime/text.h"
#include "runtime/turns.h"

#include <linux/futex.h>
#include <sys/uio.h>

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

/* --- whose access comes first ------------------------------------------------------- */

static void set_stage(uint32_t from, uint32_t to)
{
    if (atomic_compare_exchange_strong(&turns_control->stage, &from, to))
        turns_wake_at(&turns_control->stage);
}

static void wait_for_stage(uint32_t wanted)
{
    uint32_t stage;
    while (!turns_are_free() && (stage = atomic_load(&turns_control->stage)) < wanted)
        system_call(SYS_futex, (long)&turns_control->stage, FUTEX_WAIT, stage,
                    (long)&turns_schedule.glance, 0, 0);
}

/* The kernel reads it: the memory may be gone, which the program is about to find out itself. */
static bool peek(const struct control_target *target, uint64_t *value)
{
    *value = 0;
    if (target->size == 0 || target->size > sizeof *value)
        return false;
    struct iovec here = {value, target->size}, there = {(void *)target->address, target->size};
    return system_call(SYS_process_vm_readv, system_process(), (long)&here, 1, (long)&there, 1,
                       0) == (long)target->size;
}

static bool both_orders_begin(void)
{
    if (!turns_schedule.first)
        return false;
    set_stage(CONTROL_APART, CONTROL_FIRST);
    for (uint32_t i = 0; i < turns_schedule.target_count; i++)
        turns_wake_at(&turns_control->targets[i].arrived);
    return true;
}

static void both_orders_take(struct recorder *self, uint32_t number)
{
    struct control_target *target = &turns_control->targets[number];
    if (number + 1 != turns_schedule.first)
        wait_for_stage(CONTROL_SECOND);
    if (peek(target, &target->before))
        target->known |= 1;
    self->racing = (uint8_t)(number + 1);
    filter_new_segment(self); /* its next access must come here */
}

void both_orders_made(struct recorder *self)
{
    uint32_t number = self->racing - 1u;
    struct control_target *target = &turns_control->targets[number];
    self->racing = 0;
    if (peek(target, &target->after))
        target->known |= 2;
    if (turns_are_free())
        return;
    if (number + 1 == turns_schedule.first) {
        set_stage(CONTROL_FIRST, CONTROL_SECOND);
        wait_for_stage(CONTROL_BOTH);
    } else {
        set_stage(CONTROL_SECOND, CONTROL_BOTH);
        turns_open();
    }
}

void standing_access(struct recorder *self, struct schedule_thread *thread,
                     const struct schedule_target *target, uintptr_t address, uint32_t size)
{
    if (!turns_wait(thread, turns_schedule.step_count))
        return;
    struct control_target *place = &turns_control->targets[target->number];
    place->address = address;
    place->size = size;
    text_append(place->thread, 0, sizeof place->thread, thread->name);
    atomic_store(&place->kernel_thread, system_thread());
    atomic_store(&place->arrived, 1);
    if (turns_schedule.target_count != 2)
        return;
    if (all_arrived()) {
        if (overlap()) {
            turns_reached();
            if (both_orders_begin())
                both_orders_take(self, target->number);
            else
                turns_open();
            return;
        }
        let_go(!target->number);
    }
    while (!turns_are_free() && atomic_load(&place->arrived) && !atomic_load(&turns_control->stage))
        system_call(SYS_futex, (long)&place->arrived, FUTEX_WAIT, 1, (long)&turns_schedule.glance,
                    0, 0);
    if (!turns_are_free() && atomic_load(&turns_control->stage))
        both_orders_take(self, target->number);
}
