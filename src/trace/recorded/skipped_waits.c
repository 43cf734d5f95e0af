/* SPDX-License-Identifier: MIT */
#include "trace/recorded/skipped_state.h"

struct skipped_waits *skipped_waits_create(const struct skipped_program *program)
{
    struct skipped_waits *self = NEW(struct skipped_waits);
    self->program = *program;
    return self;
}

uint64_t skipped_line(struct skipped_waits *self, uint32_t location)
{
    bool added;
    uint64_t *line = map_at(&self->lines, location, &added);
    if (added)
        *line = self->program.line_of(self->program.context, location);
    return *line;
}

static void free_matching(struct skipped_waits *self)
{
    for (size_t i = 0; i < self->threads.count; i++) {
        struct thread *thread = &self->threads.items[i];
        for (size_t k = 0; k < thread->open.count; k++)
            free(thread->open.items[k]);
        array_free(&thread->open);
    }
    for (size_t i = 0; i < self->spare.count; i++)
        free(self->spare.items[i]);
    array_free(&self->spare);
    array_free(&self->threads);
    array_free(&self->sections);
    array_free(&self->signals);
    array_free(&self->candidates);
    map_free(&self->written);
    array_free(&self->owners);
    map_free(&self->predicates);
    map_free(&self->lines);
    map_free(&self->checks);
    map_free(&self->sites);
    array_free(&self->code);
}

void skipped_waits_destroy(struct skipped_waits *self)
{
    if (!self)
        return;
    free_matching(self);
    map_free(&self->mutexes);
    map_free(&self->signalled);
    map_free(&self->waited);
    array_free(&self->marks);
    free(self);
}

struct thread *skipped_thread(struct skipped_waits *self, uint32_t thread)
{
    size_t known = self->threads.count;
    array_grow(&self->threads, thread + 1);
    for (; known < self->threads.count; known++)
        self->threads.items[known].left = NO_SECTION;
    return &self->threads.items[thread];
}

/* --- first pass ------------------------------------------------------------- */

void skipped_waits_learn(struct skipped_waits *self, const struct binary_unit *unit)
{
    if (unit->op == EVENT_SIGNAL || unit->op == EVENT_BROADCAST)
        *map_at(&self->signalled, key(unit->object), NULL) = 1;
    if (unit->op == EVENT_WAIT_BEGIN) {
        *map_at(&self->mutexes, key(unit->object), NULL) = unit->other;
        *map_at(&self->waited, key(unit->other), NULL) = 1;
    }
}

bool skipped_waits_wanted(struct skipped_waits *self)
{
    const struct map *signalled = &self->signalled;
    for (size_t i = map_first(signalled); i < signalled->capacity; i = map_following(signalled, i))
        self->any_mutex |= !map_find(&self->mutexes, signalled->entries[i].key);
    return signalled->count > 0;
}

/* --- which candidates are waits ---------------------------------------------------- */

static bool signals(const struct skipped_waits *self, uint32_t section, uint64_t condition)
{
    for (uint32_t at = self->sections.items[section].signals; at;
         at = self->signals.items[at - 1].next)
        if (self->signals.items[at - 1].condition == condition)
            return true;
    return false;
}

static struct code_answer ask_code(struct skipped_waits *self, const struct candidate *candidate)
{
    bool added;
    uint64_t *index =
        map_at(&self->checks, key(map_pair(candidate->location, candidate->stack)), &added);
    if (added) {
        struct code_answer code = {0};
        code.answer = self->program.checks_wait(self->program.context, candidate->location,
                                                candidate->stack, &code.site);
        *index = self->code.count;
        array_push(&self->code, code);
    }
    return self->code.items[*index];
}

/* The call that the code would wait by may belong to another condition. */
static bool may_wait_for(const struct skipped_waits *self, uint64_t site, uint64_t condition)
{
    return !site || !map_find(&self->sites, key(site)) ||
           map_find(&self->sites, site_key(site, condition));
}

static bool is_wait_for(struct skipped_waits *self, const struct candidate *candidate,
                        uint64_t condition)
{
    const struct section *reader = &self->sections.items[candidate->reader];
    if (reader->woken_by == condition)
        return false; /* it did wait */
    const uint64_t *mutex = map_find(&self->mutexes, key(condition));
    if (mutex && *mutex != reader->lock)
        return false;
    if (mutex && map_find(&self->predicates, predicate(self, condition, candidate->location)))
        return true;
    struct code_answer code = ask_code(self, candidate);
    if (code.answer == WAIT_UNKNOWN)
        return !mutex && !signals(self, candidate->reader, condition);
    return code.answer == WAIT_CHECKED && may_wait_for(self, code.site, condition);
}

/* The condition that the reader skipped a wait for; false if it is none. */
static bool skipped(struct skipped_waits *self, const struct candidate *candidate,
                    uint64_t *condition)
{
    for (uint32_t at = self->sections.items[candidate->writer].signals; at;
         at = self->signals.items[at - 1].next) {
        *condition = self->signals.items[at - 1].condition;
        if (is_wait_for(self, candidate, *condition))
            return true;
    }
    return false;
}

static int by_place(const void *a, const void *b)
{
    const struct skipped_mark *left = a, *right = b;
    if (left->thread != right->thread)
        return left->thread < right->thread ? -1 : 1;
    if (left->unit != right->unit)
        return left->unit < right->unit ? -1 : 1;
    if (left->access != right->access)
        return left->access < right->access ? -1 : 1;
    return left->latch < right->latch ? -1 : left->latch > right->latch;
}

/* The latch of the writer, made when first asked for. */
static struct skipped_mark latch_of(struct skipped_waits *self, struct map *latches,
                                    struct map *numbers, uint32_t writer, uint64_t condition)
{
    bool added;
    uint64_t *first = map_at(latches, writer, &added);
    if (added) {
        const struct section *section = &self->sections.items[writer];
        struct skipped_mark opens = {
            .thread = section->thread,
            .unit = section->unit,
            .latch = (uint32_t)latches->count - 1,
            .number = (uint32_t)++ * map_at(numbers, key(condition), NULL),
            .condition = condition,
        };
        *first = self->marks.count;
        array_push(&self->marks, opens);
    }
    return self->marks.items[*first];
}

static void make_marks(struct skipped_waits *self)
{
    struct map latches = {0}, numbers = {0}, passed = {0};
    for (size_t i = 0; i < self->candidates.count; i++) {
        const struct candidate *candidate = &self->candidates.items[i];
        uint64_t condition;
        bool first;
        if (!skipped(self, candidate, &condition))
            continue;
        map_at(&passed, map_pair(candidate->reader, candidate->writer), &first);
        if (!first)
            continue;
        struct skipped_mark mark = latch_of(self, &latches, &numbers, candidate->writer, condition);
        mark.thread = self->sections.items[candidate->reader].thread;
        mark.unit = candidate->unit;
        mark.access = candidate->access;
        array_push(&self->marks, mark);
    }
    map_free(&latches);
    map_free(&numbers);
    map_free(&passed);
}

void skipped_waits_settle(struct skipped_waits *self)
{
    make_marks(self);
    free_matching(self);
    if (!self->marks.count)
        return;
    qsort(self->marks.items, self->marks.count, sizeof *self->marks.items, by_place);
    skipped_waits_rewind(self);
}

void skipped_waits_rewind(struct skipped_waits *self)
{
    for (size_t i = 0; i < self->threads.count; i++)
        self->threads.items[i].units = 0, self->threads.items[i].marks_end = 0;
    for (size_t i = 0; i < self->marks.count; i++) {
        struct thread *thread = skipped_thread(self, self->marks.items[i].thread);
        if (!thread->marks_end)
            thread->next_mark = i;
        thread->marks_end = i + 1;
    }
}

size_t skipped_waits_next(struct skipped_waits *self, uint32_t id,
                          const struct skipped_mark **marks)
{
    if (id >= self->threads.count)
        return 0;
    struct thread *thread = &self->threads.items[id];
    uint32_t unit = thread->units++;
    size_t first = thread->next_mark, end = first;
    while (end < thread->marks_end && self->marks.items[end].unit == unit)
        end++;
    thread->next_mark = end;
    *marks = self->marks.items + first;
    return end - first;
}
