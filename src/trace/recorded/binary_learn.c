/* SPDX-License-Identifier: MIT */
/* What must be known of a trace before its events can be delivered. */
#include "trace/recorded/binary_source.h"

/* A mutex that one thread locks and another unlocks passes permission, not
 * ownership: it is a semaphore of one. */
static void learn_lock(struct binary_source *self, const struct binary_unit *unit, uint32_t thread)
{
    bool wait = unit->op == EVENT_WAIT_BEGIN || unit->op == EVENT_WAIT_END;
    uint32_t lock = binary_names_sync(self->names, CLASS_LOCK, wait ? unit->other : unit->object);
    array_grow(&self->owners, lock + 1);
    array_grow(&self->handed_over, lock + 1);
    uint32_t *owner = &self->owners.items[lock];
    if (unit->op == EVENT_ACQUIRE || unit->op == EVENT_WAIT_END) {
        if (!(unit->flags & EVENT_FAILED) || wait)
            *owner = thread + 1;
    } else if (unit->op == EVENT_RELEASE || unit->op == EVENT_WAIT_BEGIN) {
        if (*owner && *owner != thread + 1 && !wait)
            self->handed_over.items[lock] = 1;
        *owner = 0;
    }
}

static void learn_unit(struct binary_source *self, const struct binary_unit *unit, uint32_t thread)
{
    if (unit->is_record) {
        if (unit->op == EVENT_FREE)
            objects_learn(self->objects, thread, unit->object,
                          binary_source_block(self, unit->object), true);
        binary_source_follow(self, unit, thread);
        if (unit->op < EVENT_COUNT && op_in(unit->op, OPS_ATOMIC))
            objects_learn(self->objects, thread, unit->object, unit->size,
                          op_in(unit->op, OPS_WRITING));
        /* In the order of the second pass: both must number objects alike. */
        enum object_class class =
            unit->op < EVENT_COUNT ? binary_record_class(unit->op) : CLASS_NONE;
        if (class == CLASS_CONDITION || class == CLASS_BARRIER || class == CLASS_SEMAPHORE ||
            class == CLASS_ONCE)
            binary_names_sync(self->names, class, unit->object);
        if (unit->op == EVENT_WAIT_BEGIN || unit->op == EVENT_WAIT_END || class == CLASS_LOCK)
            learn_lock(self, unit, thread);
        skipped_waits_learn(self->waits, unit);
    }
    for (size_t i = 0; i < unit->count; i++) {
        const struct binary_access *access = &unit->accesses[i];
        if (access->present && op_in(access->op, OPS_ACCESS))
            objects_learn(self->objects, thread, access->address, binary_limited(access->length),
                          op_in(access->op, OPS_WRITING));
    }
}

typedef void see_unit(struct binary_source *self, const struct binary_unit *unit, uint32_t thread);

static void match_unit(struct binary_source *self, const struct binary_unit *unit, uint32_t thread)
{
    skipped_waits_match(self->waits, thread, unit);
}

static int pass(struct binary_source *self, see_unit *see, struct error *error)
{
    struct binary_merge *merge = binary_merge_create(&self->threads, self->places);
    struct binary_unit unit;
    uint32_t thread;
    int answer;
    while ((answer = binary_merge_next(merge, &thread, &unit, error)) > 0)
        see(self, &unit, thread);
    binary_merge_destroy(merge);
    return answer;
}

int binary_learn(struct binary_source *self, struct error *error)
{
    if (pass(self, learn_unit, error))
        return -1;
    objects_settle(self->objects);
    binary_names_reset(self->names);
    map_free(&self->blocks);
    map_free(&self->counts);
    map_free(&self->destroyed);
    if (!skipped_waits_wanted(self->waits))
        return 0;
    if (pass(self, match_unit, error))
        return -1;
    skipped_waits_settle(self->waits);
    return 0;
}
