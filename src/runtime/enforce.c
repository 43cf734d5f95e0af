#include "runtime/enforce.h"

#include "runtime/played_waits.h"
#include "runtime/schedule.h"

#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

bool enforce_active;

enum { GLANCES = 128, GLANCE_AGAIN = 64 };

static struct schedule schedule;
static struct replay_control *control;

/* --- sleeping and waking ------------------------------------------------------ */

/* Threads sleep on `turn`, each with a bit of its own (modulo 32), so that a turn
 * wakes the thread it goes to and few others. */
static void sleep_until_change(uint32_t seen, uint32_t bit)
{
    system_call(SYS_futex, (long)&control->turn, FUTEX_WAIT_BITSET, seen, 0, 0,
                (long)(1u << (bit & 31)));
}

static void wake(uint32_t bits)
{
    system_call(SYS_futex, (long)&control->turn, FUTEX_WAKE_BITSET, INT32_MAX, 0, 0, (long)bits);
}

static bool is_free(void)
{
    return atomic_load_explicit(&control->free, memory_order_acquire);
}

static void wake_at(_Atomic uint32_t *word)
{
    system_call(SYS_futex, (long)word, FUTEX_WAKE, INT32_MAX, 0, 0, 0);
}

static void set_free(void)
{
    atomic_store(&control->free, 1);
    /* Sleepers wait for a change of `turn`: give them one that is no step. */
    atomic_fetch_or(&control->turn, SCHEDULE_FREE_BIT);
    wake(UINT32_MAX);
    wake_at(&control->free);
    for (uint32_t i = 0; i < schedule.target_count; i++) {
        wake_at(&control->targets[i].arrived);
        wake_at(&control->targets[i].blocked);
    }
}

/* --- divergence ----------------------------------------------------------------- */

static size_t put(char *to, size_t at, const char *text)
{
    while (*text && at + 1 < CONTROL_MESSAGE)
        to[at++] = *text++;
    to[at] = 0;
    return at;
}

static size_t put_number(char *to, size_t at, uint32_t number)
{
    char digits[12];
    unsigned start = sizeof digits - 1;
    digits[start] = 0;
    do
        digits[--start] = (char)('0' + number % 10);
    while (number /= 10);
    return put(to, at, digits + start);
}

static void diverge(const struct schedule_thread *thread, const struct schedule_step *expected,
                    unsigned op, uint32_t index)
{
    uint32_t running = CONTROL_RUNNING;
    static _Atomic bool told;
    if (!atomic_exchange(&told, true)) {
        size_t at = put(control->message, 0, "thread ");
        at = put(control->message, at, thread->name);
        at = put(control->message, at, ", operation ");
        at = put_number(control->message, at, index);
        at = put(control->message, at, ": expected ");
        at = put(control->message, at, expected ? schedule_op_text(expected->op) : "an access");
        at = put(control->message, at, ", but it ");
        at = put(control->message, at, op == SCHEDULE_EXIT ? "" : "does ");
        put(control->message, at, op == SCHEDULE_EXIT ? "ends the program" : schedule_op_text(op));
        atomic_compare_exchange_strong(&control->state, &running, CONTROL_DIVERGED);
    }
    set_free();
}

/* --- the gate --------------------------------------------------------------------- */

static void be(const struct schedule_thread *thread, enum control_where where)
{
    if (thread->number < CONTROL_THREADS)
        atomic_store(&control->where[thread->number], (uint8_t)where);
}

/* False only if the thread is awake and will look at `turn` before it sleeps. */
static bool may_sleep(uint32_t number)
{
    return number >= CONTROL_THREADS || atomic_load(&control->where[number]) == CONTROL_AT_GATE;
}

/* Turns often come within a few microseconds, sooner than sleep would; but not if the
 * others get no processor meanwhile. What paid lately tells. */
static bool glance_at_turn(struct schedule_thread *thread, uint32_t seen)
{
    if (thread->glances == 0 && ++thread->slept % GLANCE_AGAIN == 0)
        thread->glances = GLANCES / 4;
    for (uint32_t i = 0; i < thread->glances; i++) {
        if (atomic_load_explicit(&control->turn, memory_order_acquire) != seen) {
            thread->glances = GLANCES;
            return true;
        }
        __builtin_ia32_pause();
    }
    thread->glances /= 2;
    return false;
}

/* Asleep until it is the turn of `position`, or the gates are open. */
static bool wait_for_turn(struct schedule_thread *thread, uint32_t position)
{
    uint32_t first = position < schedule.step_count ? schedule.steps[position].group : position;
    for (;;) {
        uint32_t turn = atomic_load_explicit(&control->turn, memory_order_acquire);
        if (is_free())
            return false;
        if (turn >= first)
            return true;
        if (glance_at_turn(thread, turn))
            continue;
        be(thread, CONTROL_AT_GATE);
        sleep_until_change(turn, thread->number);
        be(thread, CONTROL_ELSEWHERE);
    }
}

static void wait_until_free(struct schedule_thread *thread)
{
    wait_for_turn(thread, UINT32_MAX);
}

static struct schedule_thread *thread_of(const struct recorder *self)
{
    return self->scheduled ? &schedule.threads[self->scheduled - 1] : NULL;
}

/* The thread's next step; NULL after its last. */
static struct schedule_step *next_step(const struct recorder *self,
                                       const struct schedule_thread *thread, uint32_t *position)
{
    if (self->step_cursor >= thread->steps)
        return NULL;
    *position = schedule.positions[thread->first + self->step_cursor];
    return &schedule.steps[*position];
}

static void reach(void)
{
    uint32_t running = CONTROL_RUNNING;
    atomic_compare_exchange_strong(&control->state, &running, CONTROL_REACHED);
}

/* For a debugger: everything stops here. */
static void stop_here(void)
{
    if (control->hold)
        system_call(SYS_tgkill, system_process(), system_thread(), SIGTRAP, 0, 0, 0);
}

/* Those whose turn it is with step `first`, but for the calling thread. */
static uint32_t sleepers(const struct schedule_thread *thread, uint32_t first)
{
    uint32_t bits = 0;
    for (uint32_t i = first; i < schedule.step_count && schedule.steps[i].group == first; i++) {
        uint32_t number = schedule.steps[i].thread;
        if (number != thread->number && may_sleep(number))
            bits |= 1u << (number & 31);
    }
    return bits;
}

/* A step is done: the turn goes to the next one, or to all of the next group. */
static void pass_turn(const struct schedule_thread *thread)
{
    uint32_t next = atomic_fetch_add(&control->turn, 1) + 1;
    if (next == schedule.step_count) {
        wake(UINT32_MAX);
        if (!schedule.target_count && control->hold) { /* the end of a window is the error */
            reach();
            stop_here();
        }
    } else if (next < schedule.step_count && schedule.steps[next].group == next) {
        uint32_t bits = sleepers(thread, next);
        if (bits)
            wake(bits);
    }
}

/* An ordered access passes the turn on when it has been made, which shows at the
 * thread's next access or operation. */
static void settle(struct recorder *self, const struct schedule_thread *thread)
{
    if (!self->owed)
        return;
    self->owed = false;
    if (!is_free())
        pass_turn(thread);
}

/* Ordered accesses that the thread should have made by now and did not make are
 * no divergence (the trace may have split one in two): their turns pass. */
static void skip_accesses(struct recorder *self, struct schedule_thread *thread)
{
    uint32_t position;
    struct schedule_step *step;
    while ((step = next_step(self, thread, &position)) && schedule_is_access(step->op) &&
           step->index <= self->gate_index) {
        self->step_cursor++;
        if (!wait_for_turn(thread, position))
            return;
        pass_turn(thread);
    }
}

/* Is the thread at (or past) the operation that its target is about? */
static struct schedule_target *target_at(const struct schedule_thread *thread, uint32_t index)
{
    struct schedule_target *target = thread->target;
    return target && target->index == index ? target : NULL;
}

static bool all_arrived(void)
{
    for (uint32_t i = 0; i < schedule.target_count; i++)
        if (!atomic_load(&control->targets[i].arrived))
            return false;
    return true;
}

/* Every thread of a deadlock stands before its acquire: now all may go in, and the
 * others may do what they can about it. */
static void stand_before_acquire(struct recorder *self, struct schedule_thread *thread,
                                 const struct schedule_target *target)
{
    struct control_target *place = &control->targets[target->number];
    if (!wait_for_turn(thread, schedule.step_count))
        return;
    atomic_store(&place->kernel_thread, system_thread());
    atomic_store(&place->arrived, 1);
    if (all_arrived()) {
        reach();
        stop_here();
        set_free();
    }
    while (!is_free() && !all_arrived())
        system_call(SYS_futex, (long)&place->blocked, FUTEX_WAIT, 0, (long)&schedule.glance, 0, 0);
    self->at_target = true;
}

void enforce_stand(struct recorder *self)
{
    struct schedule_thread *thread = thread_of(self);
    uint32_t position;
    if (!thread || is_free() || next_step(self, thread, &position))
        return;
    struct schedule_target *target = target_at(thread, self->gate_index);
    if (target && !schedule_is_access(target->op))
        stand_before_acquire(self, thread, target);
}

enum outcome enforce_approach(struct recorder *self, unsigned op)
{
    struct schedule_thread *thread = thread_of(self);
    if (!thread || is_free() || !op_in(op, OPS_SCHEDULED))
        return OUTCOME_OPEN;
    settle(self, thread);
    skip_accesses(self, thread);
    uint32_t index = self->gate_index, position;
    const struct schedule_step *step = next_step(self, thread, &position);
    if (step) {
        if (!wait_for_turn(thread, position))
            return OUTCOME_OPEN;
        be(thread, CONTROL_PERFORMING);
        return step->failed ? OUTCOME_FAIL : OUTCOME_SUCCEED;
    }
    struct schedule_target *target = target_at(thread, index);
    if (target && !schedule_is_access(target->op)) {
        stand_before_acquire(self, thread, target);
        return OUTCOME_OPEN;
    }
    if (target && !self->missed) { /* it should have made an access before this */
        self->missed = true;
        atomic_store(&control->targets[target->number].arrived, 0);
        atomic_fetch_add(&control->targets_missed, 1);
    }
    wait_until_free(thread);
    return OUTCOME_OPEN;
}

void enforce_passed(struct recorder *self, unsigned op)
{
    struct schedule_thread *thread = thread_of(self);
    if (!op_in(op, OPS_SCHEDULED))
        return;
    bool scheduled = thread && !is_free();
    if (scheduled) {
        settle(self, thread);
        skip_accesses(self, thread);
    }
    uint32_t position, index = self->gate_index++;
    if (!scheduled)
        return;
    const struct schedule_step *step = next_step(self, thread, &position);
    if (!step || !wait_for_turn(thread, position))
        return;
    if (!schedule_same_op(step->op, op)) {
        diverge(thread, step, op, index);
        return;
    }
    self->step_cursor++;
    be(thread, CONTROL_ELSEWHERE);
    pass_turn(thread);
}

bool enforce_plays_wait(const struct recorder *self)
{
    return enforce_active && thread_of(self) && !is_free();
}

bool enforce_leaves_wait(const struct recorder *self)
{
    const struct schedule_thread *thread = thread_of(self);
    uint32_t position;
    const struct schedule_step *step =
        thread && !is_free() ? next_step(self, thread, &position) : NULL;
    return step && !schedule_is_access(step->op) && step->op != EVENT_WAIT_END;
}

void enforce_blocking(struct recorder *self, bool blocked)
{
    struct schedule_thread *thread = thread_of(self);
    if (thread && thread->target && self->at_target)
        atomic_store(&control->targets[thread->target->number].blocked, blocked);
    if (!blocked)
        self->at_target = false;
}

/* --- accesses ----------------------------------------------------------------------- */

static bool overlap(void)
{
    const struct control_target *a = &control->targets[0], *b = &control->targets[1];
    return a->address < b->address + b->size && b->address < a->address + a->size;
}

/* Both stand before their accesses, but of different memory: a loop. The one that
 * came first goes on to its next round. */
static void let_go(uint32_t number)
{
    atomic_store(&control->targets[number].arrived, 0);
    wake_at(&control->targets[number].arrived);
}

static void hold(void)
{
    reach();
    stop_here();
    set_free();
}

/* An access that a fine schedule orders. */
static void order_access(struct recorder *self, struct schedule_thread *thread, unsigned op,
                         uintptr_t pc)
{
    uint32_t position;
    struct schedule_step *step = next_step(self, thread, &position);
    bool alike =
        step && (step->op == op || (op == EVENT_ATOMIC_RMW && op_in(step->op, OPS_ATOMIC)));
    if (!alike || step->index != self->gate_index || !schedule_is_here(&step->place, pc))
        return;
    self->step_cursor++;
    if (!wait_for_turn(thread, position))
        return;
    self->owed = true;
    filter_new_segment(self); /* whatever it accesses next must come here */
}

void enforce_atomic(struct recorder *self, unsigned op, uintptr_t pc)
{
    struct schedule_thread *thread = thread_of(self);
    if (!thread || is_free())
        return;
    settle(self, thread);
    order_access(self, thread, op, pc);
}

void enforce_atomic_made(struct recorder *self)
{
    struct schedule_thread *thread = thread_of(self);
    if (thread)
        settle(self, thread);
}

void enforce_access(struct recorder *self, uintptr_t address, uint32_t size, unsigned op,
                    uintptr_t pc)
{
    struct schedule_thread *thread = thread_of(self);
    if (!thread || is_free())
        return;
    settle(self, thread);
    order_access(self, thread, op, pc);
    struct schedule_target *target = target_at(thread, self->gate_index);
    if (!target || !schedule_is_access(target->op) || op != target->op ||
        self->step_cursor < thread->steps || !schedule_is_here(&target->place, pc))
        return;
    settle(self, thread);
    if (!wait_for_turn(thread, schedule.step_count))
        return;
    struct control_target *place = &control->targets[target->number];
    place->address = address;
    place->size = size;
    atomic_store(&place->kernel_thread, system_thread());
    atomic_store(&place->arrived, 1);
    if (schedule.target_count != 2)
        return;
    if (all_arrived()) {
        if (overlap()) {
            hold();
            return;
        }
        let_go(!target->number);
    }
    while (!is_free() && atomic_load(&place->arrived))
        system_call(SYS_futex, (long)&place->arrived, FUTEX_WAIT, 1, (long)&schedule.glance, 0, 0);
}

/* --- threads and the start ------------------------------------------------------------ */

uint64_t enforce_child_path(uint64_t path, uint32_t child)
{
    return (path ^ child) * UINT64_C(0xd6e8feb86659fd93) + 1;
}

void enforce_thread(struct recorder *self, uint64_t path)
{
    self->path = path;
    self->gate_index = self->step_cursor = 0;
    self->owed = false;
    self->scheduled = 0;
    self->missed = false;
    self->at_target = false;
    for (uint32_t i = 0; enforce_active && i < schedule.thread_count; i++)
        if (schedule.threads[i].path == path)
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
    control = system_map(file, 0, sizeof *control);
    system_close(file);
    if (!control || control->version != CONTROL_VERSION)
        return;
    uint32_t state = atomic_load(&control->state);
    bool again = state == CONTROL_RUNNING && control->process == system_process();
    if (state != CONTROL_WAITING && !again)
        return;
    control->process = system_process();
    atomic_store(&control->turn, 0);
    if (!schedule_load(&schedule, path)) {
        put(control->message, 0, "the schedule cannot be read by the target");
        atomic_store(&control->state, CONTROL_REFUSED);
        return;
    }
    take_input();
    atomic_store(&control->state, CONTROL_RUNNING);
    enforce_active = true;
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
    struct schedule_thread *thread = self ? thread_of(self) : NULL;
    uint32_t position;
    const struct schedule_step *step = thread ? next_step(self, thread, &position) : NULL;
    if (step && !is_free() && !schedule_is_access(step->op))
        diverge(thread, step, SCHEDULE_EXIT, self->gate_index);
    while (enforce_active && !is_free() && atomic_load(&control->state) == CONTROL_RUNNING)
        system_call(SYS_futex, (long)&control->free, FUTEX_WAIT, 0, (long)&schedule.glance, 0, 0);
}
