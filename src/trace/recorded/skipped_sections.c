/* SPDX-License-Identifier: MIT */
/* The pass between the first and the last: critical sections, what they wrote and signalled,
 * and who read it inside others. */
#include "trace/recorded/skipped_state.h"

static bool tracked(const struct skipped_waits *self, uint64_t lock)
{
    return self->any_mutex || map_find(&self->waited, key(lock));
}

static void enter_section(struct skipped_waits *self, uint32_t id, uint64_t lock, uint64_t woken_by)
{
    if (!tracked(self, lock) || self->sections.count >= NO_SECTION - 1)
        return;
    struct section section = {.lock = lock, .woken_by = woken_by, .thread = id};
    struct open_section *open =
        self->spare.count ? array_pop(&self->spare) : NEW(struct open_section);
    open->section = (uint32_t)self->sections.count;
    open->written = open->read = 0;
    array_push(&self->sections, section);
    array_push(&skipped_thread(self, id)->open, open);
}

/* Who wrote the byte last; NULL if nobody did and no place for it is to be made. */
static uint32_t *owner_of(struct skipped_waits *self, uint64_t address, bool make)
{
    bool added = false;
    uint64_t *index = make ? map_at(&self->written, address >> 3, &added)
                           : map_find(&self->written, address >> 3);
    if (!index)
        return NULL;
    if (added) {
        *index = self->owners.count;
        array_grow(&self->owners, self->owners.count + 1);
    }
    return &self->owners.items[*index].section[address & 7];
}

/* What it wrote can be read by others from here on. */
static void publish(struct skipped_waits *self, const struct open_section *open)
{
    size_t kept = open->written < SECTION_WRITES ? open->written : SECTION_WRITES;
    for (size_t i = 0; i < kept; i++) {
        uint64_t address = open->writes[i].address, end = address + open->writes[i].length;
        for (; address < end; address++)
            *owner_of(self, address, true) = open->section + 1;
    }
}

static void leave_section(struct skipped_waits *self, uint32_t id, uint64_t lock, uint32_t unit)
{
    struct thread *thread = skipped_thread(self, id);
    for (size_t i = thread->open.count; i-- > 0;) {
        struct open_section *open = thread->open.items[i];
        if (self->sections.items[open->section].lock != lock)
            continue;
        publish(self, open);
        self->sections.items[open->section].unit = unit;
        thread->left = open->section;
        array_push(&self->spare, open);
        thread->open.items[i] = array_last(&thread->open);
        thread->open.count--;
        return;
    }
}

static void note_signal(struct skipped_waits *self, uint32_t section, uint64_t condition)
{
    struct signal signal = {.condition = condition, .next = self->sections.items[section].signals};
    array_push(&self->signals, signal);
    self->sections.items[section].signals = (uint32_t)self->signals.count;
}

static void on_signal(struct skipped_waits *self, uint32_t id, uint64_t condition)
{
    struct thread *thread = skipped_thread(self, id);
    for (size_t i = 0; i < thread->open.count; i++)
        note_signal(self, thread->open.items[i]->section, condition);
    if (thread->left != NO_SECTION)
        note_signal(self, thread->left, condition);
}

/* These bytes are no longer what a section left there. */
static void forget_bytes(struct skipped_waits *self, uint64_t address, uint64_t length)
{
    if (length > FORGOTTEN_LENGTH) {
        map_clear(&self->written);
        self->owners.count = 0;
    }
    for (uint64_t at = address; self->written.count && at - address < length;) {
        uint32_t *owner = owner_of(self, at, false);
        uint64_t bytes = 8 - (at & 7); /* of the same eight */
        for (uint64_t i = 0; owner && i < bytes && at + i - address < length; i++)
            owner[i] = 0;
        at += bytes;
    }
}

/* The thread goes to wait: what it read in this section is the predicate. */
static void on_wait(struct skipped_waits *self, uint32_t id, const struct binary_unit *unit)
{
    const struct thread *thread = skipped_thread(self, id);
    uint64_t site = self->program.pc_of(self->program.context, unit->location);
    *map_at(&self->sites, key(site), NULL) = 1;
    *map_at(&self->sites, site_key(site, unit->object), NULL) = 1;
    for (size_t i = 0; i < thread->open.count; i++) {
        const struct open_section *open = thread->open.items[i];
        if (self->sections.items[open->section].lock != unit->other)
            continue;
        for (size_t k = 0; k < open->read; k++)
            *map_at(&self->predicates, predicate(self, unit->object, open->reads[k]), NULL) = 1;
    }
}

static void match_record(struct skipped_waits *self, uint32_t id, const struct binary_unit *unit,
                         uint32_t number)
{
    bool failed = unit->flags & EVENT_FAILED;
    if (unit->op == EVENT_ALLOC)
        forget_bytes(self, unit->object, unit->other);
    if (record_is_local(unit->op))
        return;
    if (op_in(unit->op, OPS_ATOMIC & OPS_WRITING))
        forget_bytes(self, unit->object, unit->size);
    if (unit->op != EVENT_SIGNAL && unit->op != EVENT_BROADCAST)
        skipped_thread(self, id)->left = NO_SECTION;
    switch (unit->op) {
    case EVENT_ACQUIRE:
        if (!failed)
            enter_section(self, id, unit->object, 0);
        break;
    case EVENT_RELEASE:
        leave_section(self, id, unit->object, number);
        break;
    case EVENT_WAIT_BEGIN:
        on_wait(self, id, unit);
        leave_section(self, id, unit->other, number);
        break;
    case EVENT_WAIT_END:
        enter_section(self, id, unit->other, unit->object);
        break;
    case EVENT_SIGNAL:
    case EVENT_BROADCAST:
        on_signal(self, id, unit->object);
        break;
    default:
        break;
    }
}

/* --- matching: accesses --------------------------------------------------------- */

static bool known_already(const struct skipped_waits *self, const struct candidate *candidate)
{
    size_t looked = 0;
    for (size_t i = self->candidates.count; i-- > 0 && looked < CANDIDATES_LOOKED; looked++) {
        const struct candidate *other = &self->candidates.items[i];
        if (other->reader == candidate->reader && other->writer == candidate->writer &&
            other->location == candidate->location)
            return true;
    }
    return false;
}

static void on_read(struct skipped_waits *self, uint32_t id, struct open_section *open,
                    const struct binary_access *access, struct candidate candidate)
{
    open->reads[open->read++ % SECTION_READS] = access->location;
    if (open->read == SECTION_READS)
        open->read = SECTION_READS - 1; /* the rest share the last place */
    candidate.reader = open->section;
    for (uint64_t i = 0; i < access->length && self->written.count; i++) {
        const uint32_t *owner = owner_of(self, access->address + i, false);
        if (!owner || !*owner)
            continue;
        candidate.writer = *owner - 1;
        const struct section *writer = &self->sections.items[candidate.writer];
        if (writer->thread != id && writer->lock == self->sections.items[open->section].lock &&
            !known_already(self, &candidate))
            array_push(&self->candidates, candidate);
    }
}

static void match_access(struct skipped_waits *self, uint32_t id,
                         const struct binary_access *access, struct candidate place)
{
    struct thread *thread = skipped_thread(self, id);
    if (op_in(access->op, OPS_READING) && access->length <= PREDICATE_LENGTH)
        for (size_t i = 0; i < thread->open.count; i++)
            on_read(self, id, thread->open.items[i], access, place);
    if (!op_in(access->op, OPS_WRITING))
        return;
    if (self->written.count)
        forget_bytes(self, access->address, access->length);
    for (size_t i = 0; i < thread->open.count && access->length <= PREDICATE_LENGTH; i++) {
        struct open_section *open = thread->open.items[i];
        open->writes[open->written++ % SECTION_WRITES] =
            (struct bytes){access->address, access->length};
    }
}

void skipped_waits_match(struct skipped_waits *self, uint32_t thread,
                         const struct binary_unit *unit)
{
    uint32_t number = skipped_thread(self, thread)->units++;
    if (unit->is_record)
        match_record(self, thread, unit, number);
    for (size_t i = 0; i < unit->count; i++) {
        const struct binary_access *access = &unit->accesses[i];
        struct candidate place = {.unit = number,
                                  .access = (uint32_t)i + 1,
                                  .location = access->location,
                                  .stack = access->stack};
        if (access->present && op_in(access->op, OPS_ACCESS))
            match_access(self, thread, access, place);
    }
}
