/* SPDX-License-Identifier: MIT */
/* What reads must see (Said et al., equation 2).
 *
 * A read that sees write w comes after it, and every other write of the variable
 * comes before w or after the read. `value` may choose among the writes of the
 * observed value. `branch` says of reads, one by one, that they see what they
 * saw, and asks it of those that an executed branch may depend on. */
#include "constraints/smt_encode.h"

static const struct event *at(const struct smt_encoding *encoding, uint32_t pos)
{
    return &encoding->window->history->events[pos];
}

/* May `other` come between the write (POS_NONE: what the window starts with) and
 * the read, and do harm? Not if it leaves what the read saw; nor if the must-order, or
 * what was said of an earlier write of its thread, keeps it away. */
static bool may_interfere(struct smt_encoding *encoding, uint32_t read, uint32_t write,
                          uint32_t other)
{
    const struct smt_window *window = encoding->window;
    uint32_t *mark = &encoding->marks[at(encoding, other)->thread];
    if (other == write || other == read || !smt_is_possible(encoding, other) ||
        smt_may_see(window, read, other) || *mark == encoding->round ||
        smt_must(window, read, other) || (write != POS_NONE && smt_must(window, other, write)))
        return false;
    if (write == POS_NONE || smt_must(window, write, other))
        *mark = encoding->round; /* it comes after the read, and so do all that follow it */
    return true;
}

/* Is it said already that `other` stays away? If the read, its write and the other
 * one lie in sections of one lock, then the sections' order decides: if the first
 * two share a section, nothing can come between; if not, it need be said only of the
 * first read and the first other write, which are executed whenever later ones are.
 * (Reads are met in program order, writes are compared.) */
static bool is_covered(struct smt_encoding *encoding, uint32_t read, uint32_t write, uint32_t other,
                       bool once)
{
    const struct smt_window *window = encoding->window;
    uint32_t reading, writing, coming, coming_too;
    if (encoding->style == SMT_EQUATIONS || write == POS_NONE ||
        !smt_excluded(window, read, other, &reading, &coming) ||
        !smt_excluded(window, write, other, &writing, &coming_too) || coming != coming_too)
        return false;
    if (reading == writing)
        return true;
    if (!once || window->sections.count >> 21)
        return false;
    bool added;
    uint64_t key = (uint64_t)reading << 42 | (uint64_t)writing << 21 | coming;
    uint64_t *earliest = map_at(&encoding->covered, key, &added);
    uint32_t index = window->history->index[other];
    if (!added && *earliest <= index)
        return true;
    *earliest = index;
    return false;
}

/* "unless `unless`, `other` is not between the write and the read" */
static void require_away(struct smt_encoding *encoding, uint32_t event, smt_ref unless,
                         uint32_t read, uint32_t write, uint32_t other)
{
    struct smt_formula *formula = &encoding->formula;
    smt_ref idle = smt_must(encoding->window, other, read)
                       ? SMT_REF_FALSE
                       : smt_not(formula, smt_is_executed(encoding, other));
    smt_ref before =
        write == POS_NONE ? SMT_REF_FALSE : smt_is_access_before(encoding, other, write);
    smt_ref after = smt_is_access_before(encoding, read, other);
    smt_require(encoding, event, SMT_OR_OF(formula, unless, idle, before, after));
}

/* "unless `unless`, the read comes after the write" (POS_NONE: what the window starts
 * with) */
static void require_after(struct smt_encoding *encoding, uint32_t event, smt_ref unless,
                          uint32_t read, uint32_t write)
{
    struct smt_formula *formula = &encoding->formula;
    if (write == POS_NONE)
        return;
    smt_require(encoding, event, SMT_OR_OF(formula, unless, smt_is_executed(encoding, write)));
    smt_require(encoding, event, SMT_OR_OF(formula, unless, smt_is_before(encoding, write, read)));
}

/* "unless `unless`, the read sees the write", one constraint a write that might come
 * between. */
static void require_sees(struct smt_encoding *encoding, uint32_t event, smt_ref unless,
                         uint32_t read, uint32_t write)
{
    const struct smt_window *window = encoding->window;
    uint32_t variable = at(encoding, read)->object;
    require_after(encoding, event, unless, read, write);
    encoding->round++;
    for (uint32_t i = window->writes.offset[variable]; i < window->writes.offset[variable + 1];
         i++) {
        uint32_t other = window->writes.items[i];
        if (may_interfere(encoding, read, write, other) &&
            !is_covered(encoding, read, write, other, unless == SMT_REF_FALSE))
            require_away(encoding, event, unless, read, write, other);
    }
}

/* By thread: the last write of the read's variable that must come before it, POS_NONE if
 * there is none. True if there is any. */
static bool find_latest(const struct smt_encoding *encoding, uint32_t read, uint32_t *latest)
{
    const struct smt_window *window = encoding->window;
    uint32_t variable = at(encoding, read)->object;
    bool any = false;
    memset(latest, 0xff, window->history->threads * sizeof *latest);
    for (uint32_t i = window->writes.offset[variable]; i < window->writes.offset[variable + 1]; i++)
        if (smt_must(window, window->writes.items[i], read)) {
            latest[at(encoding, window->writes.items[i])->thread] = window->writes.items[i];
            any = true;
        }
    return any;
}

/* Does one of those come between the write and the read in any case? */
static bool is_hidden(const struct smt_window *window, uint32_t write, const uint32_t *latest)
{
    for (uint32_t thread = 0; thread < window->history->threads; thread++)
        if (latest[thread] != POS_NONE && smt_must(window, write, latest[thread]))
            return true;
    return false;
}

/* The writes the read may see, POS_NONE for what the window starts with. */
static void find_sources(const struct smt_encoding *encoding, uint32_t read,
                         struct smt_refs *sources)
{
    const struct smt_window *window = encoding->window;
    uint32_t variable = at(encoding, read)->object, observed = window->rules->reads_from[read];
    uint32_t *latest = encoding->latest;
    bool any = find_latest(encoding, read, latest);
    bool from_start = observed == POS_NONE || observed < window->start;
    sources->count = 0;
    if (smt_may_see(window, read, POS_NONE) && !any && (from_start || !encoding->observed_only))
        array_push(sources, POS_NONE);
    for (uint32_t i = window->writes.offset[variable]; i < window->writes.offset[variable + 1];
         i++) {
        uint32_t write = window->writes.items[i];
        if (write != read && smt_may_see(window, read, write) && smt_is_possible(encoding, write) &&
            (write == observed || !encoding->observed_only) && !smt_must(window, read, write) &&
            !is_hidden(window, write, latest))
            array_push(sources, write);
    }
}

/* "unless `unless`, the read is as observed" */
static void require_as_observed(struct smt_encoding *encoding, uint32_t event, smt_ref unless,
                                uint32_t read)
{
    struct smt_refs sources = {0}, chosen = {0};
    find_sources(encoding, read, &sources);
    if (sources.count == 1) {
        require_sees(encoding, event, unless, read, sources.items[0]);
    } else {
        array_push(&chosen, unless);
        for (size_t i = 0; i < sources.count; i++) {
            smt_ref choice = smt_choice(&encoding->formula);
            array_push(&chosen, choice);
            encoding->about = read;
            require_sees(encoding, POS_NONE, smt_not(&encoding->formula, choice), read,
                         sources.items[i]);
            encoding->about = POS_NONE;
        }
        smt_require(encoding, event, smt_or(&encoding->formula, chosen.items, chosen.count));
    }
    array_free(&sources);
    array_free(&chosen);
}

/* `branch`. For every read r of the window, two choices: "r sees what it saw, and
 * its writer knew what it wrote", and "so do all reads of the thread up to r". */
struct branch_reads {
    struct smt_encoding *encoding;
    smt_ref *seen, *clean; /* by pos - start; 0: not asked for */
    struct smt_refs work;  /* reads whose `seen` is not spelled out yet */
};

static smt_ref seen(struct branch_reads *reads, uint32_t read)
{
    smt_ref *place = &reads->seen[read - reads->encoding->window->start];
    if (!*place) {
        *place = smt_choice(&reads->encoding->formula);
        array_push(&reads->work, read);
    }
    return *place;
}

/* All reads of the thread before `index` are as observed. */
static smt_ref clean_before(struct branch_reads *reads, uint32_t thread, uint32_t index)
{
    struct smt_encoding *encoding = reads->encoding;
    const struct smt_window *window = encoding->window;
    smt_ref first = SMT_REF_TRUE, later = SMT_REF_TRUE;
    while (index-- > window->baseline[thread]) {
        uint32_t pos = history_pos(window->history, thread, index);
        if (!event_reads(at(encoding, pos)))
            continue;
        smt_ref *place = &reads->clean[pos - window->start];
        bool known = *place;
        if (!known)
            *place = smt_choice(&encoding->formula);
        if (later != SMT_REF_TRUE)
            smt_require(encoding, POS_NONE,
                        SMT_OR_OF(&encoding->formula, smt_not(&encoding->formula, later), *place));
        else
            first = *place;
        if (known)
            break;
        smt_require(
            encoding, POS_NONE,
            SMT_OR_OF(&encoding->formula, smt_not(&encoding->formula, *place), seen(reads, pos)));
        later = *place;
    }
    return first;
}

static void spell_out_seen(struct branch_reads *reads, uint32_t read)
{
    struct smt_encoding *encoding = reads->encoding;
    const struct smt_window *window = encoding->window;
    smt_ref choice = reads->seen[read - window->start];
    smt_ref unless = smt_not(&encoding->formula, choice);
    require_as_observed(encoding, POS_NONE, unless, read);
    uint32_t write = window->rules->reads_from[read];
    if (write == POS_NONE || write < window->start || !smt_is_possible(encoding, write))
        return;
    smt_ref clean = clean_before(reads, at(encoding, write)->thread,
                                 window->history->index[write] + event_reads(at(encoding, write)));
    smt_require(encoding, POS_NONE, SMT_OR_OF(&encoding->formula, unless, clean));
}

static void encode_branch(struct smt_encoding *encoding)
{
    const struct smt_window *window = encoding->window;
    uint32_t count = window->end - window->start;
    struct branch_reads reads = {.encoding = encoding,
                                 .seen = NEW_ARRAY(smt_ref, count),
                                 .clean = NEW_ARRAY(smt_ref, count)};
    for (uint32_t pos = window->start; pos < window->end; pos++) {
        const struct event *event = at(encoding, pos);
        if (!smt_is_possible(encoding, pos))
            continue;
        if (event->op == EVENT_BRANCH)
            smt_require(encoding, pos,
                        clean_before(&reads, event->thread, window->history->index[pos]));
        else if (op_in(event->op, OPS_BOUND))
            smt_require(encoding, pos, seen(&reads, pos));
    }
    while (reads.work.count)
        spell_out_seen(&reads, array_pop(&reads.work));
    free(reads.seen);
    free(reads.clean);
    array_free(&reads.work);
}

void smt_encode_memory(struct smt_encoding *encoding)
{
    const struct smt_window *window = encoding->window;
    if (window->rules->model == MODEL_BRANCH) {
        encode_branch(encoding);
        return;
    }
    for (uint32_t pos = window->start; pos < window->end; pos++)
        if (event_reads(at(encoding, pos)) && smt_keeps(window, pos) &&
            smt_is_possible(encoding, pos))
            require_as_observed(encoding, pos, SMT_REF_FALSE, pos);
}

/* Solvers try "false" first: that is to mean the write that was observed. */
static smt_ref make_choice(struct smt_encoding *encoding, uint32_t read, uint32_t write)
{
    uint32_t observed = encoding->window->rules->reads_from[read];
    bool from_start = observed == POS_NONE || observed < encoding->window->start;
    smt_ref choice = smt_choice(&encoding->formula);
    return write == (from_start ? POS_NONE : observed) ? smt_not(&encoding->formula, choice)
                                                       : choice;
}

static void find_choices(struct smt_encoding *encoding, uint32_t read)
{
    struct smt_refs sources = {0}, chosen = {0};
    find_sources(encoding, read, &sources);
    for (size_t i = 0; i < sources.count; i++) {
        bool only = sources.count == 1;
        struct smt_source source = {read, sources.items[i],
                                    only ? SMT_REF_TRUE
                                         : make_choice(encoding, read, sources.items[i])};
        array_push(&encoding->sources, source);
        array_push(&chosen, source.choice);
        encoding->about = read;
        require_after(encoding, only ? read : POS_NONE, smt_not(&encoding->formula, source.choice),
                      read, source.write);
        encoding->about = POS_NONE;
    }
    smt_require(encoding, read, smt_or(&encoding->formula, chosen.items, chosen.count));
    array_free(&sources);
    array_free(&chosen);
}

bool smt_require_source(struct smt_encoding *encoding, uint32_t read,
                        const struct smt_source **sources, size_t *count)
{
    bool added;
    uint64_t *place = map_at(&encoding->sources_of, read, &added);
    if (added) {
        uint32_t first = (uint32_t)encoding->sources.count;
        find_choices(encoding, read);
        *place = map_pair(first, (uint32_t)encoding->sources.count - first);
    }
    *sources = encoding->sources.items + (*place >> 32);
    *count = (uint32_t)*place;
    return added;
}

bool smt_require_away(struct smt_encoding *encoding, const struct smt_source *source,
                      uint32_t other)
{
    uint32_t place = (uint32_t)(source - encoding->sources.items);
    struct smt_source copy = *source;
    if (smt_must(encoding->window, copy.read, other) ||
        (copy.write != POS_NONE && smt_must(encoding->window, other, copy.write)) ||
        is_covered(encoding, copy.read, copy.write, other, false) ||
        !smt_is_new(encoding, SMT_SAID_AWAY, place, other))
        return false;
    bool only = copy.choice == SMT_REF_TRUE;
    encoding->about = copy.read;
    require_away(encoding, only ? copy.read : POS_NONE, smt_not(&encoding->formula, copy.choice),
                 copy.read, copy.write, other);
    encoding->about = POS_NONE;
    return true;
}

bool smt_require_memory(struct smt_encoding *encoding)
{
    if (!smt_is_new(encoding, SMT_SAID_MEMORY, 0, 0))
        return false;
    smt_encode_memory(encoding);
    return true;
}
