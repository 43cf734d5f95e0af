/* hb and shb: races of the observed order.
 *
 * Two conflicting accesses race if happens-before does not order them
 * (dissertation, chapters 7 and 8). As in FastTrack, while a variable is free of
 * races its last write is an epoch that comes after everything before it, so one
 * comparison settles nearly every access. Unlike FastTrack all racing pairs of
 * locations are reported, not only a variable's first race: the first race of a
 * variable sends its later accesses through the whole access history.
 *
 * hb: the first race reported is real; what follows it may hang on it.
 * shb (schedulable happens-before: Mathur, Kini, Viswanathan 2018) orders also
 * a write before the reads that saw it, and with that every race is real. */
#include "base/array.h"
#include "engine/access_history.h"
#include "engine/engine.h"

struct variable {
    struct access_history history;
    struct epoch write; /* last write */
    struct epoch read;  /* last read, if no two reads since the write were unordered */
    bool reads_shared;  /* `read` does not tell all */
    bool scan;          /* raced, or atomic: epochs do not tell all */
};

struct hb {
    struct access_pool pool;
    struct order *order;
    struct variables ARRAY_OF(struct variable) variables;
    struct indices ARRAY_OF(uint32_t) next_index; /* by thread */
};

static void create(struct engine_run *run, unsigned flags)
{
    struct hb *hb = NEW(struct hb);
    hb->order = order_create(flags);
    run->state = hb;
}

static void create_hb(struct engine_run *run)
{
    create(run, ORDER_LOCKS | ORDER_SIGNALS | ORDER_C11);
}

static void create_shb(struct engine_run *run)
{
    create(run, ORDER_LOCKS | ORDER_SIGNALS | ORDER_READS);
}

static void report(struct engine_run *run, uint32_t variable, const struct access *earlier,
                   const struct access *later)
{
    struct finding_event events[2];
    access_fill(&events[0], earlier);
    access_fill(&events[1], later);
    struct finding finding = {
        .kind = FINDING_RACE,
        .model = run->engine->default_model,
        .verdict = VERDICT_OBSERVED,
        .engine = run->engine->name,
        .object_class = CLASS_VARIABLE,
        .object = variable,
        .block = INTERN_NONE,
        .events = events,
        .event_count = 2,
    };
    findings_add(run->findings, &finding);
}

/* Reports every earlier access that is not before `access`; true if there was one. */
static bool scan(struct engine_run *run, uint32_t id, const struct access_history *history,
                 const struct access *access, const struct vclock *clock)
{
    bool raced = false;
    for (uint32_t i = 0; i < history->room; i++) {
        const struct access *earlier = &history->slots[i];
        if (!earlier->tick || !accesses_conflict(earlier, access) ||
            vclock_saw(clock, (struct epoch){earlier->thread, earlier->tick}))
            continue;
        report(run, id, earlier, access);
        raced = true;
    }
    return raced;
}

/* Do the epochs prove that every conflicting access came before? */
static bool epochs_suffice(const struct variable *variable, bool writes, const struct vclock *clock)
{
    if (variable->scan || !vclock_saw(clock, variable->write))
        return false;
    return !writes || (!variable->reads_shared && vclock_saw(clock, variable->read));
}

static void update_epochs(struct variable *variable, const struct access *access,
                          const struct vclock *clock)
{
    struct epoch now = {access->thread, access->tick};
    if (op_in(access->op, OPS_WRITING)) {
        variable->write = now;
        variable->read = (struct epoch){0};
        variable->reads_shared = false;
        return;
    }
    if (!vclock_saw(clock, variable->read))
        variable->reads_shared = true;
    variable->read = now;
}

static void on_access(struct engine_run *run, struct hb *hb, const struct event *event,
                      uint32_t pos, uint32_t index)
{
    access_pages_reach(&hb->variables, event->object);
    struct variable *variable = &hb->variables.items[event->object];
    const struct vclock *clock = order_clock(hb->order, event->thread);
    bool every_pair = run->options->every_pair;
    uint32_t tick = vclock_get(clock, event->thread);
    struct access access = access_of(event, tick, pos, index, 0);
    struct access *known = every_pair ? NULL : access_history_find(&variable->history, &access);
    if (known && known->tick == tick)
        return; /* alike, and nothing has come between: what races with it is known */
    variable->scan |= op_in(event->op, OPS_ATOMIC);
    if (!epochs_suffice(variable, event_writes(event), clock) &&
        scan(run, event->object, &variable->history, &access, clock))
        variable->scan = true;
    update_epochs(variable, &access, clock);
    if (known)
        *known = access;
    else
        access_history_add(&variable->history, &access, every_pair, hb->order, &hb->pool);
}

/* Variables are spread over memory and events come at random: each access would
 * wait for memory twice, for its variable and for its slot there. Looking ahead in
 * the batch hides both. */
static void look_ahead(const struct hb *hb, const struct event *events, size_t at, size_t count)
{
    enum { FAR = 24, NEAR = 12 };
    if (at + FAR < count && op_in(events[at + FAR].op, OPS_ACCESS) &&
        events[at + FAR].object < hb->variables.count)
        __builtin_prefetch(&hb->variables.items[events[at + FAR].object]);
    if (at + NEAR < count && op_in(events[at + NEAR].op, OPS_ACCESS) &&
        events[at + NEAR].object < hb->variables.count)
        access_history_prefetch(&hb->variables.items[events[at + NEAR].object].history,
                                &events[at + NEAR], 0);
}

static void on_events(struct engine_run *run, const struct event *events, size_t count,
                      uint32_t first)
{
    struct hb *hb = run->state;
    for (size_t i = 0; i < count; i++) {
        const struct event *event = &events[i];
        look_ahead(hb, events, i, count);
        array_grow(&hb->next_index, event->thread + 1);
        uint32_t index = hb->next_index.items[event->thread]++;
        if (op_in(event->op, OPS_ACCESS))
            on_access(run, hb, event, first + (uint32_t)i, index);
        order_step(hb->order, event);
    }
}

static int finish(struct engine_run *run, struct error *error)
{
    (void)run;
    (void)error;
    return 0;
}

static void destroy(struct engine_run *run)
{
    struct hb *hb = run->state;
    access_pool_free(&hb->pool);
    access_pages_free(&hb->variables);
    array_free(&hb->next_index);
    order_destroy(hb->order);
    free(hb);
}

const struct engine engine_hb = {
    .name = "hb",
    .summary = "races of the observed order",
    .promise = "the first race is real; no prediction",
    .source = "dissertation ch. 7-8; epochs as in FastTrack",
    .finds = FINDS_RACES,
    .guarantee = GUARANTEE_OBSERVED,
    .default_model = MODEL_NONE,
    .create = create_hb,
    .events = on_events,
    .finish = finish,
    .destroy = destroy,
};

const struct engine engine_shb = {
    .name = "shb",
    .summary = "races of the observed order, all of them real",
    .promise = "sound under rf; no prediction",
    .source = "schedulable happens-before (Mathur, Kini, Viswanathan 2018)",
    .finds = FINDS_RACES,
    .guarantee = GUARANTEE_SOUND,
    .default_model = MODEL_RF,
    .models = 1u << MODEL_RF,
    .create = create_shb,
    .events = on_events,
    .finish = finish,
    .destroy = destroy,
};
