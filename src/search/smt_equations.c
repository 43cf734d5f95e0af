/* The seed's own encoding of locks (section 4.2, equation 4). The owner of a lock
 * is a variable: an acquire assumes that it is nobody and writes the thread, a
 * release the other way round; wait_begin is a release, wait_end an acquire, and a
 * signal sent with the mutex held assumes its owner. Whoever assumes a value comes
 * after a write of that value, with no other write in between.
 *
 * It says what one clause a pair of sections says, at cubic cost. It is kept for
 * comparison, and to show that what it simplifies to is what the seed prints.
 * Readers' locks and tries, which the seed does not know, are left to sections. */
#include "search/smt_encode.h"

#define NOBODY POS_NONE

struct step {
    uint32_t pos, thread;
    bool writes;
    uint32_t assumed, written; /* owner before and after: a thread or NOBODY */
};

struct steps ARRAY_OF(struct step);

static void add_section(const struct smt_window *window, const struct smt_section *section,
                        struct steps *steps)
{
    struct step acquire = {section->acquire, section->thread, true, NOBODY, section->thread};
    struct step release = {section->release, section->thread, true, section->thread, NOBODY};
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
static void add_signals(const struct smt_window *window, uint32_t lock, struct steps *steps)
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
            struct step step = {pos, events[pos].thread, false, events[pos].thread, NOBODY};
            for (uint32_t k = window->section_offset[lock]; k < window->section_offset[lock + 1];
                 k++)
                if (pos >= window->start && covers(window, &window->sections.items[k], pos))
                    array_push(steps, step);
        }
    }
}

/* Not between `write` and `step`; without a `write`, not before `step`. */
static smt_ref stays_away(struct smt_encoding *encoding, const struct step *other,
                          const struct step *write, const struct step *step)
{
    struct smt_formula *formula = &encoding->formula;
    smt_ref after = smt_is_before(encoding, step->pos, other->pos);
    smt_ref before = write ? smt_is_before(encoding, other->pos, write->pos) : SMT_REF_FALSE;
    if (after == SMT_REF_TRUE || before == SMT_REF_TRUE)
        return SMT_REF_TRUE;
    return SMT_OR_OF(formula, smt_not(formula, smt_is_executed(encoding, other->pos)), after,
                     before);
}

/* The thread's own last write before `step`, NULL if there is none. */
static const struct step *own_write(const struct smt_window *window, const struct steps *steps,
                                    const struct step *step)
{
    const uint32_t *index = window->history->index;
    const struct step *last = NULL;
    for (size_t i = 0; i < steps->count; i++) {
        const struct step *other = &steps->items[i];
        if (other->writes && other->thread == step->thread &&
            index[other->pos] < index[step->pos] && (!last || index[last->pos] < index[other->pos]))
            last = other;
    }
    return last;
}

/* "`step` comes right after `write`" (NULL: before all writes). */
static smt_ref follows(struct smt_encoding *encoding, const struct steps *steps,
                       const struct step *write, const struct step *own, const struct step *step)
{
    const struct smt_window *window = encoding->window;
    struct smt_formula *formula = &encoding->formula;
    struct smt_refs parts = {0};
    if (write)
        array_push(&parts, smt_is_executed_before(encoding, write->pos, step->pos));
    for (size_t i = 0; i < steps->count; i++) {
        const struct step *other = &steps->items[i];
        if (!other->writes || other == write || other == step ||
            !smt_is_possible(encoding, other->pos) ||
            (other->thread == step->thread && other != own))
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

static void encode_step(struct smt_encoding *encoding, const struct steps *steps, uint32_t initial,
                        const struct step *step)
{
    struct smt_refs ways = {0};
    const struct step *own = own_write(encoding->window, steps, step);
    if (step->assumed == initial && !own)
        array_push(&ways, follows(encoding, steps, NULL, NULL, step));
    for (size_t i = 0; i < steps->count; i++) {
        const struct step *write = &steps->items[i];
        if (write->writes && write->written == step->assumed && write != step &&
            (write->thread != step->thread || write == own) &&
            smt_is_executed_before(encoding, write->pos, step->pos) != SMT_REF_FALSE)
            array_push(&ways, follows(encoding, steps, write, own, step));
    }
    smt_require(encoding, step->pos, smt_or(&encoding->formula, ways.items, ways.count));
    array_free(&ways);
}

void smt_encode_lock_equations(struct smt_encoding *encoding, uint32_t lock)
{
    const struct smt_window *window = encoding->window;
    struct steps steps = {0};
    uint32_t initial = NOBODY;
    bool plain = window->failed_tries.offset[lock] == window->failed_tries.offset[lock + 1];
    for (uint32_t i = window->section_offset[lock]; i < window->section_offset[lock + 1]; i++) {
        const struct smt_section *section = &window->sections.items[i];
        plain &= !section->shared;
        if (section->acquire < window->start)
            initial = section->thread;
        add_section(window, section, &steps);
    }
    add_signals(window, lock, &steps);
    for (size_t i = 0; i < steps.count && plain; i++)
        if (smt_is_possible(encoding, steps.items[i].pos))
            encode_step(encoding, &steps, initial, &steps.items[i]);
    if (!plain)
        smt_encode_lock(encoding, lock);
    array_free(&steps);
}
