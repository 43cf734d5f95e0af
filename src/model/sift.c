/* SPDX-License-Identifier: MIT */
#include "model/sift.h"

#include "model/sift_clocks.h"
#include "model/sift_states.h"

/* What a state becomes by an access. */
struct step {
    uint32_t state, serial; /* before */
    uint32_t segment, location;
    uint32_t after, after_serial;
    bool write;
};

enum { STEPS = 1 << 17 }; /* that are remembered */

struct sift {
    struct sift_clocks clocks;
    struct sift_states states;
    struct variable_states ARRAY_OF(uint32_t) of; /* by variable: its state */
    struct step steps[STEPS];
    struct map places; /* pair of locations -> pairs of segments met */
    struct map met;    /* hashes of what has met */
    struct selection *selection;
    uint64_t events;
    bool whole; /* there is something that needs all accesses */
};

/* --- samples -------------------------------------------------------------- */

enum { MET_MAX = 1 << 20 };

/* Have these places met in these segments before? */
static bool is_new(struct sift *self, const struct sift_access *a, const struct sift_access *b)
{
    uint64_t key = map_mix(map_pair(a->segment, b->segment)) * 31 +
                   map_mix(map_pair(a->location, b->location));
    bool added;
    if (self->met.count >= MET_MAX)
        map_clear(&self->met);
    map_at(&self->met, key >> 1, &added);
    return added;
}

static void sample(struct sift *self, const struct sift_access *access, uint32_t variable)
{
    const struct sift_segment *segment = &self->clocks.segments.items[access->segment];
    selection_sample(self->selection, segment->thread, segment->number, access->location, variable);
}

static void meet(struct sift *self, const struct sift_access *a, const struct sift_access *b,
                 uint32_t variable)
{
    uint64_t places = a->location < b->location ? map_pair(a->location, b->location)
                                                : map_pair(b->location, a->location);
    if (!is_new(self, a, b))
        return;
    uint64_t number = ++*map_at(&self->places, places, NULL);
    if (number > SIFT_INSTANCES && (number & (number - 1)))
        return;
    sample(self, a, variable);
    sample(self, b, variable);
}

/* --- one access ----------------------------------------------------------- */

static bool may_race(const struct sift *self, uint32_t thread, const struct sift_access *earlier,
                     const struct sift_access *access)
{
    return (earlier->write || access->write) && earlier->lane != access->lane &&
           !sift_clocks_knows(&self->clocks, SIFT_WEAK, thread, earlier->segment) &&
           !sift_clocks_common_lock(&self->clocks, earlier->segment, access->segment);
}

static bool is_ordered(const struct sift *self, uint32_t thread, const struct sift_access *earlier)
{
    return sift_clocks_knows(&self->clocks, SIFT_READS, thread, earlier->segment) &&
           sift_clocks_knows(&self->clocks, SIFT_OBSERVED, thread, earlier->segment);
}

/* Does the access come after all that conflict with it? The last write, and the reads since then
 * if it writes: what was before came before those. */
static bool is_settled(const struct sift *self, const struct sift_state *state, uint32_t thread,
                       const struct sift_access *access)
{
    if (access->lane == SIFT_NO_LANE)
        return false;
    for (uint8_t i = 0; i < state->count; i++) {
        const struct sift_access *earlier = &state->recent[i];
        bool counts =
            earlier->role == SIFT_LAST_WRITE || (access->write && earlier->role == SIFT_SINCE);
        if (counts && !is_ordered(self, thread, earlier))
            return false;
    }
    return true;
}

static void move_to(struct sift *self, uint32_t variable, const struct sift_state *state)
{
    uint32_t before = self->of.items[variable];
    self->of.items[variable] = sift_states_use(&self->states, state);
    sift_states_leave(&self->states, before);
}

/* Of a variable that is not settled only the last write counts: who reads it comes after. */
static void access_open(struct sift *self, const struct event *event, struct sift_access access)
{
    const struct sift_state *state = sift_state(&self->states, self->of.items[event->object]);
    if (event_reads(event) && state->count && !(event->flags & EVENT_HAS_VALUE))
        sift_clocks_saw(&self->clocks, event->thread, state->recent[0].segment);
    if (!access.write)
        return;
    sift_clocks_wrote(&self->clocks, event->thread);
    access.segment = sift_clocks_now(&self->clocks, event->thread);
    access.role = SIFT_LAST_WRITE;
    struct sift_state after = {.open = true, .count = 1, .recent = {access}};
    move_to(self, event->object, &after);
}

/* From here on all its accesses count, and those before are delivered as well. */
static void open_variable(struct sift *self, uint32_t variable)
{
    const struct sift_state *state = sift_state(&self->states, self->of.items[variable]);
    struct sift_state after = {.open = true};
    const struct sift_access *written = sift_state_written(state);
    if (written) {
        after.recent[0] = *written;
        after.count = 1;
    }
    selection_keep(self->selection, variable);
    move_to(self, variable, &after);
}

static struct step *step_of(struct sift *self, uint32_t state, const struct sift_access *access)
{
    uint64_t key = map_mix(map_pair(state, access->segment)) ^
                   map_pair(access->location, access->write) * UINT64_C(0x9e3779b97f4a7c15);
    return &self->steps[(key >> 32 ^ key) % STEPS];
}

static bool is_known_step(const struct sift *self, const struct step *step, uint32_t state,
                          const struct sift_access *access)
{
    const uint32_t *serials = self->states.serials.items;
    return step->serial && step->state == state && step->serial == serials[state] &&
           step->segment == access->segment && step->location == access->location &&
           step->write == access->write && step->after_serial == serials[step->after];
}

static void access_settled(struct sift *self, const struct event *event, struct sift_access access)
{
    uint32_t before = self->of.items[event->object];
    struct step *step = step_of(self, before, &access);
    if (is_known_step(self, step, before, &access)) {
        if (step->after == before)
            return;
        self->states.list.items[step->after]->references++;
        self->of.items[event->object] = step->after;
        sift_states_leave(&self->states, before);
        return;
    }
    const struct sift_state *state = sift_state(&self->states, before);
    struct sift_state after = {.count = state->count};
    memcpy(after.recent, state->recent, state->count * sizeof *state->recent);
    if (!is_settled(self, state, event->thread, &access) || !sift_state_add(&after, access)) {
        open_variable(self, event->object);
        access_open(self, event, access);
        return;
    }
    for (uint8_t i = 0; i < state->count; i++)
        if (may_race(self, event->thread, &state->recent[i], &access))
            meet(self, &state->recent[i], &access, event->object);
    if (access.write)
        sift_clocks_wrote(&self->clocks, event->thread);
    uint32_t serial = self->states.serials.items[before];
    self->states.list.items[before]->references++; /* so that its number is not used again */
    move_to(self, event->object, &after);
    uint32_t number = self->of.items[event->object];
    *step = (struct step){before,          serial, access.segment,
                          access.location, number, self->states.serials.items[number],
                          access.write};
    sift_states_leave(&self->states, before);
}

static void on_access(struct sift *self, const struct event *event)
{
    bool atomic = op_in(event->op, OPS_ATOMIC);
    array_grow(&self->of, event->object + 1);
    if (atomic)
        sift_clocks_step(&self->clocks, event);
    uint32_t segment = sift_clocks_now(&self->clocks, event->thread);
    const struct sift_segment *now = &self->clocks.segments.items[segment];
    struct sift_access access = {.segment = segment,
                                 .location = event->location,
                                 .lane = now->lane,
                                 .locks = self->clocks.held.items[now->held].hash,
                                 .write = event_writes(event)};
    bool open = sift_state(&self->states, self->of.items[event->object])->open;
    if (open && event->op == EVENT_WRITE)
        sift_clocks_overwrite(&self->clocks, event->object);
    if (atomic && !open)
        open_variable(self, event->object);
    if (atomic || open)
        access_open(self, event, access);
    else
        access_settled(self, event, access);
}

/* --- the reading ---------------------------------------------------------- */

#define OPS_NEED_ALL (OP_BIT(EVENT_BRANCH) | OP_BIT(EVENT_BLOCK_BEGIN) | OP_BIT(EVENT_BLOCK_END))

static void on_event(struct sift *self, const struct event *event)
{
    if (op_in(event->op, OPS_ACCESS))
        on_access(self, event);
    else if (op_in(event->op, OPS_SYNC))
        sift_clocks_step(&self->clocks, event);
    else if (op_in(event->op, OPS_NEED_ALL))
        self->whole = true;
}

static void forget(struct sift *self, const struct trace *trace)
{
    for (size_t i = 0; i < trace->gone.count; i++) {
        uint32_t variable = trace->gone.items[i];
        if (variable >= self->of.count)
            continue;
        sift_states_leave(&self->states, self->of.items[variable]);
        self->of.items[variable] = 0;
    }
}

static int read_all(struct sift *self, struct trace *trace, struct error *error)
{
    const struct event *batch;
    long count;
    while (!self->whole && (count = trace_next(trace, &batch, error))) {
        if (count < 0)
            return -1;
        for (long i = 0; i < count; i++)
            on_event(self, &batch[i]);
        self->events += (uint64_t)count;
        forget(self, trace);
    }
    return 0;
}

static struct sift *sift_create(void)
{
    struct sift *self = NEW(struct sift);
    self->selection = selection_create();
    sift_clocks_create(&self->clocks);
    sift_states_create(&self->states);
    return self;
}

/* Returns the selection, if there is any worth the name. */
static struct selection *sift_end(struct sift *self, uint64_t from)
{
    struct selection *selection = self->selection;
    if (self->whole || self->events <= from) {
        selection_release(selection);
        selection = NULL;
    }
    sift_clocks_free(&self->clocks);
    sift_states_free(&self->states);
    array_free(&self->of);
    map_free(&self->places);
    map_free(&self->met);
    free(self);
    return selection;
}

int sift_trace(struct trace *trace, uint64_t from, struct error *error)
{
    if (!trace->format->rewind)
        return 0;
    struct sift *self = sift_create();
    trace->by_objects = true;
    int result = read_all(self, trace, error);
    trace->by_objects = false;
    struct selection *selection = sift_end(self, from);
    if (result) {
        selection_release(selection);
        return -1;
    }
    trace_rewind(trace);
    trace_select(trace, selection);
    return 0;
}

struct selection *sift_events(const struct event *events, size_t count)
{
    struct sift *self = sift_create();
    for (size_t i = 0; i < count && !self->whole; i++)
        on_event(self, &events[i]);
    self->events = count;
    return sift_end(self, 0);
}

struct trace *sift_open(const char *path, struct error *error)
{
    struct trace *trace = trace_open(path, error);
    if (trace && sift_trace(trace, SIFT_FROM, error)) {
        trace_close(trace);
        return NULL;
    }
    return trace;
}
