/* SPDX-License-Identifier: MIT */
/* What synchronisation asks for (Said et al., section 4), beyond the must-order. */
#include "constraints/smt_encode.h"

static bool exclude(const struct smt_section *a, const struct smt_section *b)
{
    return a->thread != b->thread && !(a->shared && b->shared);
}

/* Whoever is first has released before the other acquires. */
static void encode_exclusion(struct smt_encoding *encoding, const struct smt_section *a,
                             const struct smt_section *b)
{
    const struct smt_window *window = encoding->window;
    struct smt_formula *formula = &encoding->formula;
    if ((a->release != POS_NONE && smt_must(window, a->release, b->acquire)) ||
        (b->release != POS_NONE && smt_must(window, b->release, a->acquire)))
        return;
    smt_ref a_first = smt_is_handed_over(encoding, a->release, b->acquire);
    smt_ref b_first = smt_is_handed_over(encoding, b->release, a->acquire);
    smt_ref idle = smt_not(formula, smt_is_executed(encoding, a->acquire));
    smt_require(encoding, b->acquire, SMT_OR_OF(formula, idle, a_first, b_first));
}

/* A try fails while somebody holds the lock in a way that excludes it. */
static void encode_failed_try(struct smt_encoding *encoding, uint32_t pos)
{
    const struct smt_window *window = encoding->window;
    const struct event *event = &window->history->events[pos];
    struct smt_formula *formula = &encoding->formula;
    struct smt_refs holders = {0};
    for (uint32_t i = window->section_offset[event->object];
         i < window->section_offset[event->object + 1]; i++) {
        const struct smt_section *section = &window->sections.items[i];
        if (section->shared && event->op == EVENT_ACQUIRE_READ)
            continue;
        smt_ref held = smt_is_executed_before(encoding, section->acquire, pos);
        if (held == SMT_REF_FALSE)
            continue;
        smt_ref still = SMT_REF_TRUE;
        if (smt_is_possible(encoding, section->release))
            still =
                SMT_OR_OF(formula, smt_not(formula, smt_is_executed(encoding, section->release)),
                          smt_is_before(encoding, pos, section->release));
        array_push(&holders, SMT_AND_OF(formula, held, still));
    }
    smt_require(encoding, pos, smt_or(formula, holders.items, holders.count));
    array_free(&holders);
}

void smt_encode_lock(struct smt_encoding *encoding, uint32_t lock)
{
    const struct smt_window *window = encoding->window;
    const struct smt_section *sections = window->sections.items;
    const struct smt_lists *tries = &window->failed_tries;
    uint32_t end = window->section_offset[lock + 1];
    for (uint32_t i = window->section_offset[lock]; i < end; i++)
        for (uint32_t k = i + 1; k < end && smt_is_possible(encoding, sections[i].acquire); k++)
            if (smt_is_possible(encoding, sections[k].acquire) &&
                exclude(&sections[i], &sections[k]))
                encode_exclusion(encoding, &sections[i], &sections[k]);
    for (uint32_t i = tries->offset[lock]; i < tries->offset[lock + 1]; i++)
        if (smt_is_possible(encoding, tries->items[i]))
            encode_failed_try(encoding, tries->items[i]);
}

static void require_apart(struct smt_encoding *encoding, smt_ref a, smt_ref b)
{
    struct smt_formula *formula = &encoding->formula;
    smt_require(encoding, POS_NONE, SMT_OR_OF(formula, smt_not(formula, a), smt_not(formula, b)));
}

bool smt_require_apart(struct smt_encoding *encoding, uint32_t a, uint32_t b)
{
    if (!smt_is_new(encoding, SMT_SAID_APART, a < b ? a : b, a < b ? b : a))
        return false;
    encode_exclusion(encoding, &encoding->window->sections.items[a],
                     &encoding->window->sections.items[b]);
    return true;
}

bool smt_require_failed_try(struct smt_encoding *encoding, uint32_t pos)
{
    if (!smt_is_new(encoding, SMT_SAID_EVENT, pos, 0))
        return false;
    encode_failed_try(encoding, pos);
    return true;
}

/* Another use; nobody else has the same token. */
static smt_ref add_use(struct smt_encoding *encoding, struct smt_uses *uses, uint32_t taker,
                       uint32_t token)
{
    smt_ref choice = smt_choice(&encoding->formula);
    for (size_t i = 0; i < uses->count; i++)
        if (uses->items[i].token == token)
            require_apart(encoding, uses->items[i].choice, choice);
    array_push(uses, ((struct smt_use){taker, token, choice}));
    return choice;
}

static void require_one_token(struct smt_encoding *encoding, const struct smt_uses *uses)
{
    for (size_t i = 0; i < uses->count; i++)
        for (size_t k = i + 1; k < uses->count; k++)
            if (uses->items[i].taker == uses->items[k].taker)
                require_apart(encoding, uses->items[i].choice, uses->items[k].choice);
}

/* A wait returns after a broadcast that found it waiting, or after a signal that
 * did and that serves no other wait. */
static void encode_wait(struct smt_encoding *encoding, const struct smt_wait *wait,
                        struct smt_uses *uses)
{
    const struct smt_window *window = encoding->window;
    struct smt_formula *formula = &encoding->formula;
    struct smt_refs wakers = {0};
    for (uint32_t i = window->signals.offset[wait->condition];
         i < window->signals.offset[wait->condition + 1]; i++) {
        uint32_t signal = window->signals.items[i];
        if (!smt_is_possible(encoding, signal) || smt_must(window, signal, wait->begin) ||
            smt_must(window, wait->end, signal))
            continue;
        smt_ref woken = SMT_AND_OF(formula, smt_is_executed_before(encoding, signal, wait->end),
                                   smt_is_before(encoding, wait->begin, signal));
        if (window->history->events[signal].op == EVENT_SIGNAL) {
            smt_ref choice = add_use(encoding, uses, wait->end, signal);
            woken = SMT_AND_OF(formula, choice, woken);
        }
        array_push(&wakers, woken);
    }
    smt_require(encoding, wait->end, smt_or(formula, wakers.items, wakers.count));
    array_free(&wakers);
}

static bool require_wait(struct smt_encoding *encoding, const struct smt_wait *wait)
{
    if (!smt_is_possible(encoding, wait->end) || wait->failed ||
        !smt_is_new(encoding, SMT_SAID_EVENT, wait->end, 0))
        return false;
    encode_wait(encoding, wait, &encoding->condition_uses[wait->condition]);
    return true;
}

static bool require_waits(struct smt_encoding *encoding, uint32_t condition)
{
    const struct smt_window *window = encoding->window;
    bool added = false;
    for (uint32_t i = window->wait_offset[condition]; i < window->wait_offset[condition + 1]; i++)
        added |= require_wait(encoding, &window->waits.items[i]);
    return added;
}

bool smt_require_wait(struct smt_encoding *encoding, uint32_t pos)
{
    const struct smt_window *window = encoding->window;
    uint32_t condition = window->history->events[pos].object;
    for (uint32_t i = window->wait_offset[condition]; i < window->wait_offset[condition + 1]; i++)
        if (window->waits.items[i].end == pos && require_wait(encoding, &window->waits.items[i]))
            return true;
    return require_waits(encoding, condition);
}

void smt_encode_conditions(struct smt_encoding *encoding)
{
    uint32_t conditions = trace_count(encoding->window->history->trace, CLASS_CONDITION);
    for (uint32_t condition = 0; condition < conditions; condition++)
        require_waits(encoding, condition);
}

/* Tokens of a semaphore: its posts, and as many as the window starts with, which
 * are named by numbers behind the trace's positions. */
static bool require_semaphore_wait(struct smt_encoding *encoding, uint32_t wait)
{
    const struct smt_window *window = encoding->window;
    const struct smt_lists *posts = &window->posts;
    const struct event *event = &window->history->events[wait];
    struct smt_uses *uses = &encoding->semaphore_uses[event->object];
    struct smt_formula *formula = &encoding->formula;
    struct smt_refs tokens = {0};
    if (!smt_is_possible(encoding, wait) || event->flags & EVENT_FAILED ||
        !smt_is_new(encoding, SMT_SAID_EVENT, wait, 0))
        return false;
    for (uint32_t k = 0; k < window->semaphore_count[event->object]; k++)
        array_push(&tokens, add_use(encoding, uses, wait, window->end + k));
    for (uint32_t k = posts->offset[event->object]; k < posts->offset[event->object + 1]; k++) {
        smt_ref before = smt_is_executed_before(encoding, posts->items[k], wait);
        if (before == SMT_REF_FALSE)
            continue;
        smt_ref choice = add_use(encoding, uses, wait, posts->items[k]);
        array_push(&tokens, choice);
        smt_require(encoding, POS_NONE, SMT_OR_OF(formula, smt_not(formula, choice), before));
    }
    smt_require(encoding, wait, smt_or(formula, tokens.items, tokens.count));
    array_free(&tokens);
    return true;
}

/* A wait that finds nothing: whatever was posted before it is used up before it. */
static void encode_failed_wait(struct smt_encoding *encoding, uint32_t semaphore, uint32_t wait,
                               const struct smt_uses *uses)
{
    const struct smt_window *window = encoding->window;
    const struct smt_lists *posts = &window->posts;
    struct smt_formula *formula = &encoding->formula;
    struct smt_refs ways = {0};
    uint32_t initial = window->semaphore_count[semaphore];
    uint32_t count = posts->offset[semaphore + 1] - posts->offset[semaphore];
    for (uint32_t i = 0; i < initial + count; i++) {
        uint32_t token =
            i < initial ? window->end + i : posts->items[posts->offset[semaphore] + i - initial];
        if (i >= initial && !smt_is_possible(encoding, token))
            continue;
        ways.count = 0;
        if (i >= initial) {
            array_push(&ways, smt_not(formula, smt_is_executed(encoding, token)));
            array_push(&ways, smt_is_before(encoding, wait, token));
        }
        for (size_t k = 0; k < uses->count; k++)
            if (uses->items[k].token == token)
                array_push(&ways, SMT_AND_OF(formula, uses->items[k].choice,
                                             smt_is_executed_before(encoding, uses->items[k].taker,
                                                                    wait)));
        smt_require(encoding, wait, smt_or(formula, ways.items, ways.count));
    }
    array_free(&ways);
}

static bool require_semaphore(struct smt_encoding *encoding, uint32_t semaphore)
{
    const struct smt_window *window = encoding->window;
    const struct smt_lists *waits = &window->semaphore_waits;
    const struct smt_uses *uses = &encoding->semaphore_uses[semaphore];
    bool added = false, failures = false;
    for (uint32_t i = waits->offset[semaphore]; i < waits->offset[semaphore + 1]; i++) {
        added |= require_semaphore_wait(encoding, waits->items[i]);
        failures |= window->history->events[waits->items[i]].flags & EVENT_FAILED &&
                    smt_is_possible(encoding, waits->items[i]);
    }
    if (!failures || !smt_is_new(encoding, SMT_SAID_EVENT, semaphore, 1))
        return added;
    require_one_token(encoding, uses);
    for (uint32_t i = waits->offset[semaphore]; i < waits->offset[semaphore + 1]; i++)
        if (window->history->events[waits->items[i]].flags & EVENT_FAILED &&
            smt_is_possible(encoding, waits->items[i]))
            encode_failed_wait(encoding, semaphore, waits->items[i], uses);
    return true;
}

bool smt_require_semaphore_wait(struct smt_encoding *encoding, uint32_t pos)
{
    return require_semaphore_wait(encoding, pos) ||
           require_semaphore(encoding, encoding->window->history->events[pos].object);
}

void smt_encode_semaphores(struct smt_encoding *encoding)
{
    const struct smt_window *window = encoding->window;
    const struct smt_lists *waits = &window->semaphore_waits;
    uint32_t semaphores = trace_count(window->history->trace, CLASS_SEMAPHORE);
    for (uint32_t semaphore = 0; semaphore < semaphores; semaphore++) {
        bool failures = false;
        for (uint32_t i = waits->offset[semaphore]; i < waits->offset[semaphore + 1]; i++)
            failures |= window->history->events[waits->items[i]].flags & EVENT_FAILED &&
                        smt_is_possible(encoding, waits->items[i]);
        if (failures || waits->offset[semaphore + 1] - waits->offset[semaphore] >
                            window->semaphore_count[semaphore])
            require_semaphore(encoding, semaphore);
    }
}
