/* SPDX-License-Identifier: MIT */
#include "runtime/turns.h"

#include "runtime/system.h"
#include "runtime/text.h"

#include <linux/futex.h>
#include <signal.h>

enum { GLANCES = 128, GLANCE_AGAIN = 64 };

struct schedule turns_schedule;
struct replay_control *turns_control;

/* Threads sleep on `turn`, each with a bit of its own (modulo 32), so that a turn
 * wakes the thread it goes to and few others. */
static void sleep_until_change(uint32_t seen, uint32_t bit)
{
    system_call(SYS_futex, (long)&turns_control->turn, FUTEX_WAIT_BITSET, seen, 0, 0,
                (long)(1u << (bit & 31)));
}

static void wake(uint32_t bits)
{
    system_call(SYS_futex, (long)&turns_control->turn, FUTEX_WAKE_BITSET, INT32_MAX, 0, 0,
                (long)bits);
}

void turns_wake_at(_Atomic uint32_t *word)
{
    system_call(SYS_futex, (long)word, FUTEX_WAKE, INT32_MAX, 0, 0, 0);
}

void turns_open(void)
{
    atomic_store(&turns_control->free, 1);
    /* Sleepers wait for a change of `turn`: give them one that is no step. */
    atomic_fetch_or(&turns_control->turn, CONTROL_FREE_BIT);
    wake(UINT32_MAX);
    turns_wake_at(&turns_control->free);
    for (uint32_t i = 0; i < turns_schedule.target_count; i++) {
        turns_wake_at(&turns_control->targets[i].arrived);
        turns_wake_at(&turns_control->targets[i].blocked);
    }
}

static size_t say(size_t at, const char *text)
{
    return text_append(turns_control->message, at, CONTROL_MESSAGE, text);
}

void turns_diverge(const struct schedule_thread *thread, const struct schedule_step *expected,
                   unsigned op, uint32_t index)
{
    uint32_t running = CONTROL_RUNNING;
    static _Atomic bool told;
    if (!atomic_exchange(&told, true)) {
        size_t at = say(0, "thread ");
        at = say(at, thread->name);
        at = say(at, ", operation ");
        at = text_number(turns_control->message, at, CONTROL_MESSAGE, index);
        at = say(at, ": expected ");
        at = say(at, expected ? schedule_op_text(expected->op) : "an access");
        at = say(at, ", but it ");
        at = say(at, op == SCHEDULE_EXIT ? "" : "does ");
        say(at, op == SCHEDULE_EXIT ? "ends the program" : schedule_op_text(op));
        turns_control->left_thread = thread->number;
        turns_control->left_index = index;
        atomic_compare_exchange_strong(&turns_control->state, &running, CONTROL_DIVERGED);
    }
    turns_open();
}

void turns_note(const struct schedule_thread *thread, enum control_where where)
{
    if (thread->number < CONTROL_THREADS)
        atomic_store(&turns_control->where[thread->number], (uint8_t)where);
}

/* False only if the thread is awake and will look at `turn` before it sleeps. */
static bool may_sleep(uint32_t number)
{
    return number >= CONTROL_THREADS ||
           atomic_load(&turns_control->where[number]) == CONTROL_AT_GATE;
}

/* Turns often come within a few microseconds, sooner than sleep would; but not if the
 * others get no processor meanwhile. What paid lately tells. */
static bool glance_at_turn(struct schedule_thread *thread, uint32_t seen)
{
    if (thread->glances == 0 && ++thread->slept % GLANCE_AGAIN == 0)
        thread->glances = GLANCES / 4;
    for (uint32_t i = 0; i < thread->glances; i++) {
        if (atomic_load_explicit(&turns_control->turn, memory_order_acquire) != seen) {
            thread->glances = GLANCES;
            return true;
        }
        __builtin_ia32_pause();
    }
    thread->glances /= 2;
    return false;
}

bool turns_wait(struct schedule_thread *thread, uint32_t position)
{
    uint32_t first =
        position < turns_schedule.step_count ? turns_schedule.steps[position].group : position;
    for (;;) {
        uint32_t turn = atomic_load_explicit(&turns_control->turn, memory_order_acquire);
        if (turns_are_free())
            return false;
        if (turn >= first)
            return true;
        if (glance_at_turn(thread, turn))
            continue;
        turns_note(thread, CONTROL_AT_GATE);
        sleep_until_change(turn, thread->number);
        turns_note(thread, CONTROL_ELSEWHERE);
    }
}

void turns_reached(void)
{
    uint32_t running = CONTROL_RUNNING;
    atomic_compare_exchange_strong(&turns_control->state, &running, CONTROL_REACHED);
    if (turns_control->hold) /* for a debugger: everything stops here */
        system_call(SYS_tgkill, system_process(), system_thread(), SIGTRAP, 0, 0, 0);
}

/* Those whose turn it is with step `first`, but for the calling thread. */
static uint32_t sleepers(const struct schedule_thread *thread, uint32_t first)
{
    uint32_t bits = 0;
    for (uint32_t i = first;
         i < turns_schedule.step_count && turns_schedule.steps[i].group == first; i++) {
        uint32_t number = turns_schedule.steps[i].thread;
        if (number != thread->number && may_sleep(number))
            bits |= 1u << (number & 31);
    }
    return bits;
}

void turns_pass(const struct schedule_thread *thread)
{
    uint32_t next = atomic_fetch_add(&turns_control->turn, 1) + 1;
    if (next == turns_schedule.step_count) {
        wake(UINT32_MAX);
        /* For a debugger the end of a window is the error. */
        if (!turns_schedule.target_count && turns_control->hold)
            turns_reached();
    } else if (next < turns_schedule.step_count && turns_schedule.steps[next].group == next) {
        uint32_t bits = sleepers(thread, next);
        if (bits)
            wake(bits);
    }
}
