/* SPDX-License-Identifier: MIT */
/* Memory, barriers, semaphores, once-blocks and threads. */
#include "tiddle/generator_actions.h"

bool do_access(struct generator *self, uint32_t thread)
{
    uint32_t variable = below(self, self->shape->variables);
    bool writes = chance(self, 50);
    if (!self->thread[thread].held_count && chance(self, self->shape->guarded))
        return false;
    if (!has(self, SHAPE_VALUES) || chance(self, 5)) {
        if (writes) /* a value nobody recorded, different from all others */
            self->values[variable] = 1000 + self->emitted;
        EMIT(self, thread, "%s(x%u)", writes ? "w" : "r", variable);
        return true;
    }
    if (writes)
        self->values[variable] = below(self, 3);
    EMIT(self, thread, "%s(x%u)=%lu", writes ? "w" : "r", variable,
         (unsigned long)self->values[variable]);
    return true;
}

bool do_atomic(struct generator *self, uint32_t thread)
{
    static const char *const orders[] = {"",         ".relaxed", ".consume",
                                         ".acquire", ".release", ".acqrel"};
    static const char *const words[] = {"atomicr", "atomiclook", "atomicw", "atomicrmw"};
    const char *order = orders[below(self, sizeof orders / sizeof *orders)];
    uint32_t variable = below(self, self->shape->variables), kind = below(self, 4);
    if (chance(self, 5)) {
        EMIT(self, thread, "fence%s()", order);
        return true;
    }
    if (kind > 1)
        self->values[variable] = has(self, SHAPE_VALUES) ? below(self, 3) : 1000 + self->emitted;
    if (has(self, SHAPE_VALUES))
        EMIT(self, thread, "%s%s(x%u)=%lu", words[kind], order, variable,
             (unsigned long)self->values[variable]);
    else
        EMIT(self, thread, "%s%s(x%u)", words[kind], order, variable);
    return true;
}

bool do_branch(struct generator *self, uint32_t thread)
{
    EMIT(self, thread, "branch()");
    return true;
}

bool do_block(struct generator *self, uint32_t thread)
{
    struct thread *own = &self->thread[thread];
    if (own->block_count && (own->block_count == BLOCKS_MOST || chance(self, 60))) {
        EMIT(self, thread, "end(B%u)", own->blocks[--own->block_count]);
        return true;
    }
    own->blocks[own->block_count] = below(self, 3);
    EMIT(self, thread, "begin(B%u)", own->blocks[own->block_count++]);
    return true;
}

/* Could the uses begun, and `more` threads, still be completed? A schedule in
 * which everybody stands before some barrier would end the trace too soon. */
static bool enough_threads(const struct generator *self, uint32_t more)
{
    uint32_t wanted = more, free = 0;
    for (uint32_t i = 0; i < BARRIERS; i++)
        wanted += self->barriers[i].parties - self->barriers[i].entered;
    for (uint32_t i = 0; i < self->threads; i++)
        free += self->thread[i].phase != FINISHED &&
                (self->thread[i].phase != ENTERED || self->thread[i].full);
    return free >= wanted;
}

bool do_enter(struct generator *self, uint32_t thread)
{
    struct thread *own = &self->thread[thread];
    uint32_t index = below(self, BARRIERS);
    struct barrier *barrier = &self->barriers[index];
    if (!may_block(self, own->held_count))
        return false;
    if (barrier->entered == barrier->parties) {
        if (barrier->parties && !barrier->left)
            return false; /* a next use begins only when somebody has left */
        uint32_t parties = 1 + below(self, 3);
        if (!enough_threads(self, parties))
            return false;
        *barrier = (struct barrier){.parties = parties};
    }
    own->phase = ENTERED;
    own->barrier = index;
    own->full = false;
    barrier->entered++;
    EMIT(self, thread, "enter(b%u)", index);
    for (uint32_t i = 0; barrier->entered == barrier->parties && i < self->threads; i++)
        if (self->thread[i].phase == ENTERED && self->thread[i].barrier == index)
            self->thread[i].full = true;
    return true;
}

bool do_exit(struct generator *self, uint32_t thread)
{
    struct thread *own = &self->thread[thread];
    struct barrier *barrier = &self->barriers[own->barrier];
    if (!own->full)
        return false;
    own->phase = RUNNING;
    if (barrier->entered == barrier->parties)
        barrier->left++;
    EMIT(self, thread, "exit(b%u)", own->barrier);
    return true;
}

bool do_post(struct generator *self, uint32_t thread)
{
    uint32_t semaphore = below(self, SEMAPHORES);
    if (self->semaphore_destroyed[semaphore])
        return false;
    self->semaphores[semaphore]++;
    EMIT(self, thread, "post(s%u)", semaphore);
    return true;
}

bool do_semaphore_wait(struct generator *self, uint32_t thread)
{
    uint32_t semaphore = below(self, SEMAPHORES);
    bool try = has(self, SHAPE_TRIES) && chance(self, 30);
    bool failed = !self->semaphores[semaphore];
    if ((failed && !try) || self->semaphore_destroyed[semaphore])
        return false;
    self->semaphores[semaphore] -= !failed;
    EMIT(self, thread, "%ssemwait%s(s%u)", try ? "try" : "", failed ? "!" : "", semaphore);
    return true;
}

bool do_once(struct generator *self, uint32_t thread)
{
    struct thread *own = &self->thread[thread];
    uint32_t index = below(self, ONCES);
    if (own->running) {
        EMIT(self, thread, "onceend(o%u)", own->running - 1);
        self->onces[own->running - 1] = ONCE_DONE;
        own->running = 0;
    } else if (self->onces[index] == ONCE_NEW) {
        EMIT(self, thread, "oncebegin(o%u)", index);
        self->onces[index] = ONCE_RUNNING;
        own->running = index + 1;
    } else if (self->onces[index] == ONCE_DONE) {
        EMIT(self, thread, "oncepass(o%u)", index);
    } else {
        return false;
    }
    return true;
}

bool do_fork(struct generator *self, uint32_t thread)
{
    for (uint32_t child = 0; child < self->threads; child++) {
        if (self->thread[child].phase != UNBORN)
            continue;
        self->thread[child].phase = RUNNING;
        EMIT(self, thread, "fork(T%u)", child);
        return true;
    }
    return false;
}

bool do_join(struct generator *self, uint32_t thread)
{
    if (self->emitted + 10 * self->threads < self->wanted)
        return false; /* long traces end in joins; in short ones they may be anywhere */
    uint32_t other = below(self, self->threads);
    const struct thread *joined = &self->thread[other];
    if (other == thread || (joined->phase != RUNNING && joined->phase != FINISHED))
        return false;
    if (joined->held_count && !chance(self, 5))
        return false; /* a thread that ends with its locks held: rare */
    self->thread[other].phase = FINISHED;
    EMIT(self, thread, "join(T%u)", other);
    return true;
}
