/* SPDX-License-Identifier: MIT */
/* mb: must-before races (Embracer), with happens-before races embedded.
 *
 * Must-before keeps the order of two sections of a mutex only where something in
 * the one is already before something in the other (relations/embracer.h). Two clashing
 * accesses race if nothing that precedes the later one in its thread comes after
 * the earlier one. Since must-before also orders clashing accesses themselves, it
 * can miss what happens-before reports: both are reported (Sadowski, section 16.3).
 *
 * Guarantee: none; it is online, and its predictions are often right (Sadowski's Figure
 * 12.2 shows one that is not).
 *
 * Sadowski, part V. */
#include "base/array.h"
#include "relations/bad_set.h"
#include "relations/clock_races.h"
#include "relations/open_sections.h"
#include "relations/hard_edges.h"
#include "relations/hb_walk.h"

#define COMMON_LOCKS 4

struct variable {
    struct access_history history;
    struct epoch write;            /* all accesses before the last write are before it */
    struct epoch read;             /* the only read since then, unless reads_shared */
    uint32_t common[COMMON_LOCKS]; /* mutexes held at every access so far */
    uint8_t common_count;
    bool accessed, reads_shared;
};

struct held ARRAY_OF(uint32_t);

struct mb {
    struct access_pool pool;
    struct embracer *embracer;
    struct bad_set bad;
    struct hb_walk *walk;
    struct clock_races *observed; /* of happens-before */
    struct mb_variables PAGED_OF(struct variable) variables;
    struct mb_held ARRAY_OF(struct held) held; /* by thread: mutexes */
    struct indices ARRAY_OF(uint32_t) next_index;
    struct open_sections open;
    uint32_t until; /* pos at which the next window begins */
};

static void begin(struct engine_run *run, struct mb *mb)
{
    mb->embracer = embracer_create();
    mb->walk = hb_walk_create();
    mb->observed = clock_races_create(run, NULL);
}

static void create(struct engine_run *run)
{
    struct mb *mb = NEW(struct mb);
    begin(run, mb);
    mb->until = run->options->window;
    run->state = mb;
}

static void update_held(struct mb *mb, const struct event *event)
{
    struct held *held = &mb->held.items[event->thread];
    if (!op_is_mutex(event->op))
        return;
    if (event_acquires(event)) {
        array_push(held, event_lock(event));
    } else if (event_releases(event)) {
        for (size_t i = 0; i < held->count; i++)
            if (held->items[i] == event_lock(event))
                held->items[i] = array_pop(held);
    }
}

static bool holds(const struct held *held, uint32_t lock)
{
    for (size_t i = 0; i < held->count; i++)
        if (held->items[i] == lock)
            return true;
    return false;
}

/* Keeps of the common mutexes those held now. True if there is one: then every
 * earlier access lies in a section that the rule of must-before orders before the
 * section at hand, because of the very clash in question. */
static bool is_protected(struct variable *variable, const struct held *held)
{
    uint8_t kept = 0;
    if (!variable->accessed) {
        variable->accessed = true;
        for (size_t i = held->count; i-- > 0 && kept < COMMON_LOCKS;)
            variable->common[kept++] = held->items[i];
    } else {
        for (uint8_t i = 0; i < variable->common_count; i++)
            if (holds(held, variable->common[i]))
                variable->common[kept++] = variable->common[i];
    }
    variable->common_count = kept;
    return kept > 0;
}

static bool saw(const struct vclock *clock, uint32_t self, struct epoch epoch)
{
    return epoch.thread == self || vclock_saw(clock, epoch);
}

/* Do the epochs prove that every conflicting access came before? */
static bool epochs_suffice(const struct variable *variable, const struct event *event,
                           const struct vclock *clock)
{
    if (!saw(clock, event->thread, variable->write))
        return false;
    return !event_writes(event) ||
           (!variable->reads_shared && saw(clock, event->thread, variable->read));
}

static void suspect(struct mb *mb, bool every_pair, const struct event *event,
                    const struct variable *variable, const struct access *access,
                    const struct vclock *clock)
{
    const struct access *slots = access_history_slots(&variable->history);
    for (uint32_t i = 0; i < access_history_room(&variable->history); i++) {
        const struct access *earlier = &slots[i];
        if (earlier->tick && accesses_conflict(earlier, access) &&
            !vclock_saw(clock, (struct epoch){earlier->thread, earlier->tick}) &&
            (every_pair || !bad_set_knows(&mb->bad, earlier, access)))
            bad_set_add(&mb->bad, mb->embracer, event->object, earlier, access, clock);
    }
}

static void remember(struct mb *mb, struct variable *variable, const struct event *event,
                     const struct access *access, bool every_pair, bool read_before)
{
    struct epoch now = {access->thread, access->tick};
    if (event_writes(event)) {
        variable->write = now;
        variable->read = (struct epoch){0};
        variable->reads_shared = false;
    } else {
        variable->reads_shared |= !read_before;
        variable->read = now;
    }
    struct access *known = every_pair ? NULL : access_history_find(&variable->history, access);
    if (known)
        *known = *access;
    else
        access_history_add(&variable->history, access, every_pair, NULL, &mb->pool);
}

static void on_access(struct engine_run *run, struct mb *mb, const struct event *event,
                      uint32_t pos, uint32_t index)
{
    struct variable *variable = paged_reach(&mb->variables, event->object);
    const struct vclock *clock = embracer_clock(mb->embracer, event->thread);
    struct access access = access_of(event, 0, pos, index, 0);
    bool read_before = saw(clock, event->thread, variable->read);
    if (!is_protected(variable, &mb->held.items[event->thread]) &&
        !epochs_suffice(variable, event, clock))
        suspect(mb, run->options->every_pair, event, variable, &access, clock);
    embracer_leave(mb->embracer, event);
    access.tick = vclock_get(embracer_clock(mb->embracer, event->thread), event->thread);
    remember(mb, variable, event, &access, run->options->every_pair, read_before);
}

static void on_event(struct engine_run *run, struct mb *mb, const struct event *event, uint32_t pos)
{
    array_grow(&mb->next_index, event->thread + 1);
    array_grow(&mb->held, event->thread + 1);
    uint32_t index = mb->next_index.items[event->thread]++;
    hb_walk_enter(mb->walk, event);
    embracer_enter(mb->embracer, event);
    if (op_in(event->op, OPS_ACCESS)) {
        const struct vclock *happened = hb_walk_clock(mb->walk, event->thread);
        clock_races_check(mb->observed, event, pos, index, happened, happened);
        on_access(run, mb, event, pos, index);
    } else {
        embracer_leave(mb->embracer, event);
        update_held(mb, event);
    }
    hb_walk_leave(mb->walk, event);
    if (mb->bad.count && embracer_is_closed(mb->embracer))
        bad_set_judge(&mb->bad, mb->embracer, run);
}

/* As clock_races_look_ahead(), for the engine's own table. */
static void look_ahead(const struct mb *mb, const struct event *events, size_t at, size_t count)
{
    clock_races_look_ahead(mb->observed, events, at, count);
    access_look_ahead(&mb->variables, events, at, count, 0);
    if (at + ACCESS_FAR < count && op_in(events[at + ACCESS_FAR].op, OPS_ACCESS))
        embracer_prefetch(mb->embracer, events[at + ACCESS_FAR].object);
}

/* Judges what is still suspected; sections that are open count as ended. */
static void end(struct engine_run *run, struct mb *mb)
{
    embracer_finish(mb->embracer);
    bad_set_judge(&mb->bad, mb->embracer, run);
}

static void forget(struct mb *mb)
{
    access_pool_free(&mb->pool);
    mb->pool = (struct access_pool){0};
    paged_free(&mb->variables);
    embracer_destroy(mb->embracer);
    hb_walk_destroy(mb->walk);
    clock_races_destroy(mb->observed);
}

/* A window by itself: of what lies before it only the open sections are kept. */
static void begin_window(struct engine_run *run, struct mb *mb)
{
    end(run, mb);
    forget(mb);
    begin(run, mb);
    for (size_t i = 0; i < mb->open.count; i++) {
        hb_walk_enter(mb->walk, &mb->open.items[i]);
        embracer_enter(mb->embracer, &mb->open.items[i]);
        embracer_leave(mb->embracer, &mb->open.items[i]);
        hb_walk_leave(mb->walk, &mb->open.items[i]);
    }
    mb->until += run->options->window;
}

static void on_events(struct engine_run *run, const struct event *events, size_t count,
                      uint32_t first)
{
    struct mb *mb = run->state;
    for (size_t i = 0; i < count; i++) {
        if (run->options->window) {
            if (first + i == mb->until)
                begin_window(run, mb);
            open_sections_step(&mb->open, &events[i]);
        }
        look_ahead(mb, events, i, count);
        on_event(run, mb, &events[i], first + (uint32_t)i);
    }
}

static int finish(struct engine_run *run, struct error *error)
{
    (void)error;
    end(run, run->state);
    return 0;
}

static void destroy(struct engine_run *run)
{
    struct mb *mb = run->state;
    forget(mb);
    array_free(&mb->open);
    for (size_t i = 0; i < mb->held.count; i++)
        array_free(&mb->held.items[i]);
    array_free(&mb->held);
    array_free(&mb->next_index);
    bad_set_free(&mb->bad);
    free(mb);
}

const struct engine engine_mb = {
    .name = "mb",
    .summary = "must-before races, and those of the observed order",
    .promise = "none; online",
    .source = "Sadowski, Part V (Embracer)",
    .finds = FINDS_RACES,
    .guarantee = GUARANTEE_HEURISTIC,
    .default_model = MODEL_NONE,
    .create = create,
    .events = on_events,
    .finish = finish,
    .destroy = destroy,
};
