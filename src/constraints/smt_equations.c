/* SPDX-License-Identifier: MIT */
#include "constraints/smt_equations.h"

static void add_section(const struct smt_window *window, const struct smt_section *section,
                        struct smt_owner_steps *steps)
{
    struct smt_owner_step acquire = {section->acquire, section->thread, true, SMT_NOBODY,
                                     section->thread};
    struct smt_owner_step release = {section->release, section->thread, true, section->thread,
                                     SMT_NOBODY};
    if (acquire.pos >= window->start)
        array_push(steps, acquire);
    if (release.pos != POS_NONE)
        array_push(steps, release);
}

static bool covers(const struct smt_window *window, const struct smt_section *section, uint32_t pos)
{
    return section->thread == window->history->events[pos].thread && section->acquire < pos &&
           pos < section->release;
}

/* Signals of the conditions that wait with this lock, sent while it is held. */
static void add_signals(const struct smt_window *window, uint32_t lock,
                        struct smt_owner_steps *steps)
{
    const struct event *events = window->history->events;
    for (uint32_t condition = 0; condition < trace_count(window->history->trace, CLASS_CONDITION);
         condition++) {
        uint32_t first = window->wait_offset[condition];
        if (first == window->wait_offset[condition + 1] ||
            events[window->waits.items[first].begin].other != lock)
            continue;
        for (uint32_t i = window->signals.offset[condition];
             i < window->signals.offset[condition + 1]; i++) {
            uint32_t pos = window->signals.items[i];
            struct smt_owner_step step = {pos, events[pos].thread, false, events[pos].thread,
                                          SMT_NOBODY};
            for (uint32_t k = window->section_offset[lock]; k < window->section_offset[lock + 1];
                 k++)
                if (pos >= window->start && covers(window, &window->sections.items[k], pos))
                    array_push(steps, step);
        }
    }
}

/* Not between `write` and `step`; without a `write`, not before `step`. */
static smt_ref stays_away(struct smt_encoding *encoding, const struct smt_owner_step *other,
                          const struct smt_owner_step *write, const struct smt_owner_step *step)
{
    struct smt_formula *formula = &encoding->formula;
    smt_ref after = smt_is_before(encoding, step->pos, other->pos);
    smt_ref before = write ? smt_is_before(encoding, other->pos, write->pos) : SMT_REF_FALSE;
    if (after == SMT_REF_TRUE || before == SMT_REF_TRUE)
        return SMT_REF_TRUE;
    return SMT_OR_OF(formula, smt_not(formula, smt_is_executed(encoding, other->pos)), after,
                     before);
}

const struct smt_owner_step *smt_own_write(const struct smt_window *window,
                                           const struct smt_owner_steps *steps,
                                           const struct smt_owner_step *step)
{
    const uint32_t *index = window->history->index;
    const struct smt_owner_step *last = NULL;
    for (size_t i = 0; i < steps->count; i++) {
        const struct smt_owner_step *other = &steps->items[i];
        if (other->writes && other->thread == step->thread &&
            index[other->pos] < index[step->pos] && (!last || index[last->pos] < index[other->pos]))
            last = other;
    }
    return last;
}

bool smt_may_precede(const struct smt_owner_step *write, const struct smt_owner_step *own,
                     const struct smt_owner_step *step)
{
    return write->writes && write != step && (write->thread != step->thread || write == own);
}

/* "`step` comes right after `write`" (NULL: before all writes). */
static smt_ref follows(struct smt_encoding *encoding, const struct smt_owner_steps *steps,
                       const struct smt_owner_step *write, const struct smt_owner_step *own,
                       const struct smt_owner_step *step)
{
    const struct smt_window *window = encoding->window;
    struct smt_formula *formula = &encoding->formula;
    struct smt_refs parts = {0};
    if (write)
        array_push(&parts, smt_is_executed_before(encoding, write->pos, step->pos));
    for (size_t i = 0; i < steps->count; i++) {
        const struct smt_owner_step *other = &steps->items[i];
        if (other == write || !smt_may_precede(other, own, step) ||
            !smt_is_possible(encoding, other->pos))
            continue;
        bool implied = false; /* by the same about an earlier write of its thread */
        for (size_t k = 0; k < steps->count && !implied; k++)
            implied = steps->items[k].writes && steps->items[k].thread == other->thread &&
                      smt_must(window, steps->items[k].pos, other->pos) &&
                      (!write || smt_must(window, write->pos, steps->items[k].pos));
        if (!implied || other == own)
            array_push(&parts, stays_away(encoding, other, write, step));
    }
    smt_ref result = smt_and(formula, parts.items, parts.count);
    array_free(&parts);
    return result;
}

static void encode_step(struct smt_encoding *encoding, const struct smt_owner_steps *steps,
                        uint32_t initial, const struct smt_owner_step *step)
{
    struct smt_refs ways = {0};
    const struct smt_owner_step *own = smt_own_write(encoding->window, steps, step);
    if (step->assumed == initial && !own)
        array_push(&ways, follows(encoding, steps, NULL, NULL, step));
    for (size_t i = 0; i < steps->count; i++) {
        const struct smt_owner_step *write = &steps->items[i];
        if (smt_may_precede(write, own, step) && write->written == step->assumed &&
            smt_is_executed_before(encoding, write->pos, step->pos) != SMT_REF_FALSE)
            array_push(&ways, follows(encoding, steps, write, own, step));
    }
    smt_require(encoding, step->pos, smt_or(&encoding->formula, ways.items, ways.count));
    array_free(&ways);
}

bool smt_owner_steps_find(const struct smt_window *window, uint32_t lock,
                          struct smt_owner_steps *steps, uint32_t *initial)
{
    bool plain = window->failed_tries.offset[lock] == window->failed_tries.offset[lock + 1];
    *initial = SMT_NOBODY;
    for (uint32_t i = window->section_offset[lock]; i < window->section_offset[lock + 1]; i++) {
        const struct smt_section *section = &window->sections.items[i];
        plain &= !section->shared;
        if (section->acquire < window->start)
            *initial = section->thread;
        add_section(window, section, steps);
    }
    add_signals(window, lock, steps);
    return plain;
}

void smt_encode_lock_equations(struct smt_encoding *encoding, uint32_t lock)
{
    struct smt_owner_steps steps = {0};
    uint32_t initial;
    bool plain = smt_owner_steps_find(encoding->window, lock, &steps, &initial);
    for (size_t i = 0; i < steps.count && plain; i++)
        if (smt_is_possible(encoding, steps.items[i].pos))
            encode_step(encoding, &steps, initial, &steps.items[i]);
    if (!plain)
        smt_encode_lock(encoding, lock);
    array_free(&steps);
}
