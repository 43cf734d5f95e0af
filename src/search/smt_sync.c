/* What synchronisation asks for (seed 003, section 4), beyond the must-order. */
#include "search/smt_encode.h"

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

/* A choice "taker uses token", for signals and posts; every token has one taker. */
struct use {
    uint32_t taker, token;
    smt_ref choice;
};
struct uses ARRAY_OF(struct use);

static void require_apart(struct smt_encoding *encoding, smt_ref a, smt_ref b)
{
    struct smt_formula *formula = &encoding->formula;
    smt_require(encoding, POS_NONE, SMT_OR_OF(formula, smt_not(formula, a), smt_not(formula, b)));
}

static void require_one_taker(struct smt_encoding *encoding, const struct uses *uses)
{
    for (size_t i = 0; i < uses->count; i++)
        for (size_t k = i + 1; k < uses->count; k++)
            if (uses->items[i].token == uses->items[k].token)
                require_apart(encoding, uses->items[i].choice, uses->items[k].choice);
}

static void require_one_token(struct smt_encoding *encoding, const struct uses *uses)
{
    for (size_t i = 0; i < uses->count; i++)
        for (size_t k = i + 1; k < uses->count; k++)
            if (uses->items[i].taker == uses->items[k].taker)
                require_apart(encoding, uses->items[i].choice, uses->items[k].choice);
}

/* A wait returns after a broadcast that found it waiting, or after a signal that
 * did and that serves no other wait. */
static void encode_wait(struct smt_encoding *encoding, const struct smt_wait *wait,
                        struct uses *uses)
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
            struct use use = {wait->end, signal, smt_choice(formula)};
            array_push(uses, use);
            woken = SMT_AND_OF(formula, use.choice, woken);
        }
        array_push(&wakers, woken);
    }
    smt_require(encoding, wait->end, smt_or(formula, wakers.items, wakers.count));
    array_free(&wakers);
}

void smt_encode_conditions(struct smt_encoding *encoding)
{
    const struct smt_window *window = encoding->window;
    uint32_t conditions = trace_count(window->history->trace, CLASS_CONDITION);
    for (uint32_t condition = 0; condition < conditions; condition++) {
        struct uses uses = {0};
        for (uint32_t i = window->wait_offset[condition]; i < window->wait_offset[condition + 1];
             i++) {
            const struct smt_wait *wait = &window->waits.items[i];
            if (smt_is_possible(encoding, wait->end) && !wait->failed)
                encode_wait(encoding, wait, &uses);
        }
        require_one_taker(encoding, &uses);
        array_free(&uses);
    }
}

/* Tokens of a semaphore: its posts, and as many as the window starts with, which
 * are named by numbers behind the trace's positions. */
static void find_uses(struct smt_encoding *encoding, uint32_t semaphore, struct uses *uses)
{
    const struct smt_window *window = encoding->window;
    const struct smt_lists *posts = &window->posts, *waits = &window->semaphore_waits;
    struct smt_refs tokens = {0};
    for (uint32_t i = waits->offset[semaphore]; i < waits->offset[semaphore + 1]; i++) {
        uint32_t wait = waits->items[i];
        if (!smt_is_possible(encoding, wait) || window->history->events[wait].flags & EVENT_FAILED)
            continue;
        tokens.count = 0;
        for (uint32_t k = 0; k < window->semaphore_count[semaphore]; k++) {
            struct use use = {wait, window->end + k, smt_choice(&encoding->formula)};
            array_push(uses, use);
            array_push(&tokens, use.choice);
        }
        for (uint32_t k = posts->offset[semaphore]; k < posts->offset[semaphore + 1]; k++) {
            smt_ref before = smt_is_executed_before(encoding, posts->items[k], wait);
            if (before == SMT_REF_FALSE)
                continue;
            struct use use = {wait, posts->items[k], smt_choice(&encoding->formula)};
            array_push(uses, use);
            array_push(&tokens, use.choice);
            smt_require(
                encoding, POS_NONE,
                SMT_OR_OF(&encoding->formula, smt_not(&encoding->formula, use.choice), before));
        }
        smt_require(encoding, wait, smt_or(&encoding->formula, tokens.items, tokens.count));
    }
    array_free(&tokens);
}

/* A wait that finds nothing: whatever was posted before it is used up before it. */
static void encode_failed_wait(struct smt_encoding *encoding, uint32_t semaphore, uint32_t wait,
                               const struct uses *uses)
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

void smt_encode_semaphores(struct smt_encoding *encoding)
{
    const struct smt_window *window = encoding->window;
    const struct smt_lists *waits = &window->semaphore_waits;
    uint32_t semaphores = trace_count(window->history->trace, CLASS_SEMAPHORE);
    for (uint32_t semaphore = 0; semaphore < semaphores; semaphore++) {
        struct uses uses = {0};
        bool failures = false;
        for (uint32_t i = waits->offset[semaphore]; i < waits->offset[semaphore + 1]; i++)
            failures |= window->history->events[waits->items[i]].flags & EVENT_FAILED &&
                        smt_is_possible(encoding, waits->items[i]);
        if (failures || waits->offset[semaphore + 1] - waits->offset[semaphore] >
                            window->semaphore_count[semaphore])
            find_uses(encoding, semaphore, &uses);
        require_one_taker(encoding, &uses);
        if (failures) {
            require_one_token(encoding, &uses);
            for (uint32_t i = waits->offset[semaphore]; i < waits->offset[semaphore + 1]; i++)
                if (window->history->events[waits->items[i]].flags & EVENT_FAILED &&
                    smt_is_possible(encoding, waits->items[i]))
                    encode_failed_wait(encoding, semaphore, waits->items[i], &uses);
        }
        array_free(&uses);
    }
}
