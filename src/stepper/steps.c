/* SPDX-License-Identifier: MIT */
#include "stepper/steps.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WINDOW = 64, OBJECTS = 1 << 14 };

/* How long a schedule's next thread is waited for if what it needs comes from outside. */
#define OUTSIDE_PATIENCE UINT64_C(20000000)

struct stepper_page *stepper;
__thread struct stepped *stepped_self;

static struct stepped threads[STEPPER_THREADS];
static struct object objects[OBJECTS];
static uint64_t now = 1;
static uint32_t waiter;

struct stepped *step_thread(uint32_t id)
{
    return &threads[id];
}

uint64_t step_time(void)
{
    return now += 1000;
}

uint64_t step_now(void)
{
    return now;
}

void step_pass(uint64_t nanoseconds)
{
    now += nanoseconds;
}

uint32_t step_waiter(void)
{
    return waiter;
}

struct object *object_at(uint64_t address)
{
    uint64_t at = address * UINT64_C(0x9e3779b97f4a7c15) >> 50;
    for (uint32_t tries = 0; tries < OBJECTS; tries++, at++) {
        struct object *object = &objects[at % OBJECTS];
        if (object->address && object->address != address)
            continue;
        object->address = address;
        return object;
    }
    stepper->unknown |= STEP_BY_OTHERS; /* more of them than a program to be explored has */
    return &objects[0];
}

static struct step_thread *told(const struct stepped *thread)
{
    return &stepper->thread[thread->id];
}

void step_trap(enum step_trap trap)
{
    if (!(stepper->traps & trap))
        return;
    stepper->traps = 0;
#ifdef __x86_64__
    __asm__ volatile("int3"); /* no frame of the C library's stands in the way */
#else
    syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGTRAP);
#endif
}

_Noreturn void step_stop(enum step_end end)
{
    step_trap(STEP_TRAP_END);
    stepper->end = end;
    _exit(125);
}

_Noreturn void step_misuse(enum step_fault fault, uint64_t address, uintptr_t pc)
{
    stepper->fault = fault;
    stepper->fault_address = address;
    stepper->fault_pc = pc;
    step_stop(STEP_HEAP);
}

/* --- may it go on? ------------------------------------------------------------------------------
 */

static bool same_as_seen(const struct window *entry)
{
    switch (entry->op) {
    case STEP_READ:
    case STEP_UPDATE:
    case STEP_WRITE:
        return (*(const volatile uint64_t *)entry->object & entry->mask) == entry->seen;
    case STEP_TRY_LOCK:
    case STEP_TRY_WRITE_LOCK:
    case STEP_TRY_READ_LOCK:
        return object_at(entry->object)->owner || object_at(entry->object)->readers;
    case STEP_TRY_WAIT:
        return object_at(entry->object)->value == 0;
    default:
        return true;
    }
}

bool step_is_ready(const struct stepped *thread)
{
    return thread->cancelled || __atomic_load_n(&thread->outside->interrupted, __ATOMIC_RELAXED) ||
           thread->outside->is_ready(thread->outside);
}

static bool would_repeat(const struct stepped *thread)
{
    uint32_t loop = told(thread)->next.loop;
    for (uint32_t i = thread->reads - loop; i < thread->reads; i++)
        if (!same_as_seen(&thread->window[i]))
            return false;
    return true;
}

static bool has_ended(uint64_t name)
{
    for (uint32_t i = 0; i < stepper->threads; i++)
        if (stepper->thread[i].name == name)
            return stepper->thread[i].state == STEP_ENDED;
    return false;
}

static bool is_free(const struct stepped *thread, const struct step_event *next)
{
    const struct object *object = next->op >= STEP_LOCK ? object_at(next->object) : NULL;
    switch (next->op) {
    case STEP_LOCK:
    case STEP_READ_LOCK:
        return !object->owner;
    case STEP_WRITE_LOCK:
        return !object->owner && !object->readers;
    case STEP_AWAKE:
        return !thread->queue || thread->cancelled;
    case STEP_LEAVE:
        return !thread->queue;
    case STEP_WAIT:
        return object->value > 0 || thread->cancelled;
    case STEP_ONCE:
        return object->value != 1;
    case STEP_JOIN:
        return has_ended(next->object) || thread->cancelled;
    default:
        return true;
    }
}

/* A try with a time limit that has not got it yet: it can go on, but the others first. */
static bool would_fail(const struct stepped *thread, const struct step_event *next)
{
    const struct object *object = next->op >= STEP_LOCK ? object_at(next->object) : NULL;
    switch (next->op) {
    case STEP_AWAKE:
        return thread->queue;
    case STEP_TRY_WAIT:
        return object->value == 0;
    case STEP_TRY_LOCK:
    case STEP_TRY_WRITE_LOCK:
        return object->owner || object->readers;
    case STEP_TRY_READ_LOCK:
        return object->owner;
    default:
        return false;
    }
}

/* 0: it cannot; 1: when nobody else can, and reading the same is all that it does; 2: when nobody
 * else can; 3: it can. */
static unsigned readiness(const struct stepped *thread)
{
    const struct step_event *next = &told(thread)->next;
    if (told(thread)->state != STEP_STANDS)
        return 0;
    if (thread->outside)
        return step_is_ready(thread) ? 3 : thread->outside->timed ? 2 : 0;
    bool timed = next->flags & STEP_TIMED;
    if (!is_free(thread, next) && !timed)
        return 0;
    if (next->flags & STEP_SPINS && would_repeat(thread))
        return 1;
    if (thread->rests || (timed && would_fail(thread, next)))
        return 2;
    return 3;
}

/* --- who goes on --------------------------------------------------------------------------------
 */

static struct stepped *by_name(uint64_t name)
{
    for (uint32_t i = 0; i < stepper->threads; i++)
        if (stepper->thread[i].name == name)
            return &threads[i];
    return NULL;
}

/* What a thread stands outside for may be made by others before their next operation, which no
 * schedule can tell. */
static bool can_be_had(const struct stepped *thread)
{
    return readiness(thread) == 3 ||
           (thread->outside && thread->outside->await(thread, OUTSIDE_PATIENCE)) ||
           readiness(thread);
}

/* NULL at the schedule's end, and as long as its thread waits for others outside. */
static struct stepped *by_schedule(void)
{
    while (stepper->turn < stepper->turns) {
        const struct step_turn *turn = &stepper->schedule[stepper->turn];
        struct stepped *thread = by_name(turn->thread);
        if (thread && told(thread)->count >= turn->count) {
            stepper->turn++;
            continue;
        }
        if (thread && can_be_had(thread)) {
            waiter = told(thread)->count + 1 == turn->count ? turn->waiter : 0;
            return thread;
        }
        if (thread && thread->outside)
            return NULL;
        stepper->diverged = stepper->turn + 1;
        stepper->turns = stepper->turn;
        return NULL;
    }
    step_trap(STEP_TRAP_TURNS);
    return NULL;
}

/* The one that rests the shortest. */
static struct stepped *first_to_wake(void)
{
    struct stepped *first = NULL;
    for (uint32_t i = 0; i < stepper->threads; i++)
        if (readiness(&threads[i]) == 2 && (!first || threads[i].alarm < first->alarm))
            first = &threads[i];
    return first;
}

/* Threads that read the same again and again, each in turn, for they may count how often. */
static struct stepped *first_to_spin(void)
{
    struct stepped *first = NULL;
    for (uint32_t i = 0; i < stepper->threads; i++)
        if (readiness(&threads[i]) == 1 && (!first || threads[i].alone < first->alone))
            first = &threads[i];
    if (first && ++first->alone > stepper->patience)
        step_stop(STEP_SPUN);
    return first;
}

static struct stepped *first_ready(const struct stepped *self)
{
    for (uint32_t i = 0; i < stepper->threads; i++) {
        struct stepped *thread = &threads[(self->id + i) % stepper->threads];
        if (readiness(thread) == 3)
            return thread;
    }
    return NULL;
}

static bool await_anybody(uint64_t nanoseconds)
{
    for (uint32_t i = 0; i < stepper->threads; i++)
        if (threads[i].outside && nanoseconds)
            return threads[i].outside->await(NULL, nanoseconds);
    return false;
}

/* The running one as long as it can, then the next one. Where something may come from outside, time
 * is real. */
static struct stepped *by_rule(const struct stepped *self)
{
    struct stepped *ready = first_ready(self);
    struct stepped *thread = ready ? NULL : first_to_wake();
    uint64_t length = !thread ? UINT64_MAX : thread->alarm > now ? thread->alarm - now : 0;
    if (!ready && await_anybody(length))
        ready = first_ready(self);
    if (ready)
        return ready;
    if (thread && thread->alarm > now)
        now = thread->alarm;
    return thread ? thread : first_to_spin();
}

static long futex(uint32_t *word, int operation, uint32_t value)
{
    return syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

static void let_go(struct stepped *thread)
{
    told(thread)->state = STEP_RUNS;
    stepper->running = thread->id;
    thread->rests = false;
    thread->outside = NULL;
    __atomic_store_n(&thread->go, 1, __ATOMIC_RELEASE);
}

/* One that waits outside is interrupted by a handler, or sees what that did. */
static void note_handler(const struct stepped *self)
{
    struct standing *outside = self->outside;
    if (outside)
        __atomic_store_n(&outside->interrupted, true, __ATOMIC_RELAXED);
}

static void wait_for_turn(struct stepped *self)
{
    while (!__atomic_load_n(&self->go, __ATOMIC_ACQUIRE))
        if (futex(&self->go, FUTEX_WAIT, 0) < 0 && errno == EINTR)
            note_handler(self);
    __atomic_store_n(&self->go, 0, __ATOMIC_RELAXED);
}

/* Those that wait for each other outside of operations, as semaphores of their own that nobody
 * posts.
 */
static void tell_outside(void)
{
    for (uint32_t i = 0; i < stepper->threads; i++)
        if (told(&threads[i])->state == STEP_STANDS && threads[i].outside) {
            told(&threads[i])->next.op = STEP_WAIT;
            told(&threads[i])->next.flags = STEP_CHANNEL;
            told(&threads[i])->next.object = (uintptr_t)&threads[i].outside;
        }
}

static struct stepped *choose(const struct stepped *self)
{
    waiter = 0;
    struct stepped *next = by_schedule();
    if (!next)
        next = by_rule(self);
    if (!next) {
        tell_outside();
        step_stop(STEP_DEADLOCK);
    }
    return next;
}

static void hand_over(struct stepped *self)
{
    struct stepped *next = choose(self);
    let_go(next);
    if (next != self)
        futex(&next->go, FUTEX_WAKE, 1);
}

/* --- loops that only read -----------------------------------------------------------------------
 */

static bool alike(const struct window *a, const struct window *b)
{
    return a->op == b->op && a->object == b->object && a->pc == b->pc && a->seen == b->seen;
}

/* Twice the same, and the third time begins: the length of the loop, or 0. */
static uint32_t find_loop(const struct stepped *self, const struct step_event *event)
{
    uint32_t loop = 1;
    while (loop <= self->reads / 2 && (self->window[self->reads - loop].object != event->object ||
                                       self->window[self->reads - loop].pc != event->pc ||
                                       self->window[self->reads - loop].op != event->op))
        loop++;
    if (loop > self->reads / 2)
        return 0;
    for (uint32_t i = self->reads - loop; i < self->reads; i++)
        if (!alike(&self->window[i], &self->window[i - loop]))
            return 0;
    return loop;
}

static bool changes_nothing(const struct step_event *event)
{
    switch (event->op) {
    case STEP_READ:
    case STEP_WRITE: /* the same as the last time, or the loop is none */
    case STEP_LOCK:
    case STEP_UNLOCK:
    case STEP_READ_LOCK:
    case STEP_UNLOCK_EITHER:
        return true;
    case STEP_UPDATE:
        return event->seen == event->made;
    case STEP_TRY_LOCK:
    case STEP_TRY_READ_LOCK:
    case STEP_TRY_WRITE_LOCK:
    case STEP_TRY_WAIT:
        return !event->seen;
    default:
        return false;
    }
}

static void remember(struct stepped *self, const struct step_event *event)
{
    if (!changes_nothing(event)) {
        self->reads = 0;
        return;
    }
    if (self->reads == WINDOW) {
        for (uint32_t i = 0; i < WINDOW / 2; i++)
            self->window[i] = self->window[i + WINDOW / 2];
        self->reads = WINDOW / 2;
    }
    uint64_t mask =
        event->size == 8 ? UINT64_MAX : ((UINT64_C(1) << event->size * 8) - 1) << event->offset * 8;
    bool access = event->op == STEP_READ || event->op == STEP_WRITE || event->op == STEP_UPDATE;
    self->window[self->reads++] = (struct window){.object = event->object,
                                                  .pc = event->pc,
                                                  .mask = mask,
                                                  .seen = access ? event->made & mask : event->seen,
                                                  .op = event->op};
}

/* --- stepping -----------------------------------------------------------------------------------
 */

void step_settle(struct stepped *self)
{
    if (!self->late)
        return;
    self->late->made = *(const volatile uint64_t *)self->late->object;
    if (self->reads) { /* it is the last of them */
        struct window *last = &self->window[self->reads - 1];
        last->seen = self->late->made & last->mask;
    }
    self->late = NULL;
}

void step_before(struct stepped *self, const struct step_event *event)
{
    self->inside = true; /* a signal's handler is not stepped */
    step_settle(self);
    struct step_thread *own = told(self);
    own->next = *event;
    own->next.thread = (uint16_t)self->id;
    own->next.loop = (uint16_t)find_loop(self, event);
    if (own->next.loop)
        own->next.flags |= STEP_SPINS;
    else
        self->alone = 0;
    own->state = STEP_STANDS;
    hand_over(self);
    wait_for_turn(self);
    self->inside = false;
}

void step_outside(struct stepped *self, struct standing *what, uintptr_t pc)
{
    self->inside = true;
    step_settle(self);
    struct step_thread *own = told(self);
    own->next = (struct step_event){.op = STEP_NONE, .thread = (uint16_t)self->id, .pc = pc};
    self->outside = what;
    own->state = STEP_STANDS;
    hand_over(self);
    wait_for_turn(self);
    self->inside = false;
}

struct step_event *step_tell(struct stepped *self, struct step_event event)
{
    event.thread = (uint16_t)self->id;
    event.flags |= told(self)->next.flags & STEP_SPINS;
    event.loop = told(self)->next.loop;
    told(self)->next.op = STEP_NONE;
    told(self)->count++;
    remember(self, &event);
    if (stepper->events == STEPPER_EVENTS) {
        stepper->full = 1;
        self->untold = event;
        return &self->untold;
    }
    struct step_event *place = &stepper->event[stepper->events++];
    *place = event;
    return place;
}

void step_add(struct stepped *self, struct step_event event)
{
    step_settle(self);
    told(self)->next.flags = 0;
    told(self)->next.loop = 0;
    step_tell(self, event);
}

void step_rest(struct stepped *self, uint64_t nanoseconds)
{
    self->rests = true;
    self->alarm = now + nanoseconds;
}

void step_leave(struct stepped *self)
{
    told(self)->state = STEP_ENDED;
    for (uint32_t i = 0; i < stepper->threads; i++)
        if (stepper->thread[i].state != STEP_ENDED) {
            hand_over(self);
            return;
        }
}

struct stepped *step_new(struct stepped *parent)
{
    if (stepper->threads == STEPPER_THREADS)
        return NULL;
    uint32_t id = stepper->threads;
    threads[id].id = id; /* all else is 0 */
    uint32_t number = parent ? ++parent->children : 0;
    struct step_thread *made = &stepper->thread[id];
    made->name = parent ? stepper_child(stepper->thread[parent->id].name, number) : STEPPER_MAIN;
    made->parent = parent ? parent->id : 0;
    made->number = number;
    made->count = 0;
    made->state = parent ? STEP_STANDS : STEP_RUNS;
    made->next.op = STEP_NONE;
    made->next.flags = 0;
    made->next.loop = 0;
    stepper->threads = id + 1;
    return &threads[id];
}

void step_arrive(struct stepped *self)
{
    stepped_self = self;
    __atomic_store_n(&self->task, (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
    wait_for_turn(self);
}
