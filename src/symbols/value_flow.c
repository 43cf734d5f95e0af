/* SPDX-License-Identifier: MIT */
#include "symbols/value_flow.h"

#include "symbols/code_walk.h"
#include "symbols/one_pass.h"
#include "symbols/register_use.h"

#include <assert.h>

enum { SLOTS_MOST = 64, ACCESS_MOST = 12 /* instructions from a hook to its access */ };

/* Who holds the value: registers, and variables of the frame by their number in `slots`. */
struct holders {
    uint32_t registers;
    uint64_t slots;
};

struct value_flow {
    struct code_files *files;
    struct map edges; /* address of the function's instructions -> one_pass_edges() */
};

/* A function, while values are followed through it. */
struct body {
    struct code_place place;
    const uint8_t *edges;
    int32_t slots[SLOTS_MOST];
    size_t slot_count;
    struct holders *at; /* by instruction: before it */
    size_t goal;        /* an instruction that branches may decide about; SIZE_MAX: any */
    bool decided;       /* one did */
    struct body_steps ARRAY_OF(size_t) steps;
};

struct value_flow *value_flow_create(struct code_files *files)
{
    struct value_flow *self = NEW(struct value_flow);
    self->files = files;
    return self;
}

void value_flow_destroy(struct value_flow *self)
{
    if (!self)
        return;
    for (size_t i = map_first(&self->edges); i < self->edges.capacity;
         i = map_following(&self->edges, i))
        free((void *)(uintptr_t)self->edges.entries[i].value);
    map_free(&self->edges);
    free(self);
}

static const uint8_t *edges_of(struct value_flow *self, const struct function_code *function)
{
    bool added;
    uint64_t *edges = map_at(&self->edges, (uint64_t)(uintptr_t)function->items, &added);
    if (added)
        *edges = (uint64_t)(uintptr_t)one_pass_edges(function);
    return (const uint8_t *)(uintptr_t)*edges;
}

/* The call that returns to `pc`, or false. */
static bool call_at(const struct code_place *place, uint64_t pc, size_t *index)
{
    size_t behind = code_index(place->function, pc - place->bias);
    *index = behind - 1;
    return behind && place->function->items[behind - 1].end == pc - place->bias &&
           place->function->items[behind - 1].flow == FLOW_CALL;
}

bool value_flow_leads(struct value_flow *self, uint64_t from, uint64_t via, uint64_t to)
{
    struct code_place first, between, last;
    size_t a, b, c;
    return code_place_find(self->files, from, &first) &&
           code_place_find(self->files, via, &between) && first.function == between.function &&
           code_place_find(self->files, to, &last) && first.function == last.function &&
           call_at(&first, from, &a) && call_at(&between, via, &b) && call_at(&last, to, &c) &&
           one_pass_reaches(first.function, edges_of(self, first.function), a, b, c);
}

/* --- one function ------------------------------------------------------------------ */

static const char *called(const struct body *body, const struct instruction *call)
{
    const char *name = machine_code_import(body->place.module->code, call);
    return name ? name : "";
}

static bool is_hook(const char *name)
{
    return strncmp(name, "__tsan_", 7) == 0;
}

static bool is_atomic_hook(const char *name)
{
    return strncmp(name, "__tsan_atomic", 13) == 0;
}

/* Locks, and the rest of what orders threads: their results are no values. */
static bool is_synchronisation(const char *name)
{
    return strncmp(name, "pthread_", 8) == 0 || strncmp(name, "mtx_", 4) == 0;
}

static uint64_t slot_bit(struct body *body, int32_t slot)
{
    size_t i = 0;
    while (i < body->slot_count && body->slots[i] != slot)
        i++;
    if (i == SLOTS_MOST)
        return 0;
    if (i == body->slot_count)
        body->slots[body->slot_count++] = slot;
    return UINT64_C(1) << i;
}

static struct holders after_call(const struct body *body, const struct instruction *call,
                                 struct holders before)
{
    const char *name = called(body, call);
    bool given = before.registers & REGISTER_ARGUMENTS && !is_synchronisation(name) &&
                 (!is_hook(name) || is_atomic_hook(name));
    before.registers &= REGISTER_KEPT;
    if (given)
        before.registers |= REGISTER_RESULT;
    return before;
}

static struct holders after(struct body *body, const struct instruction *one, struct holders before)
{
    const struct register_use *use = &one->use;
    if (one->flow == FLOW_CALL)
        return after_call(body, one, before);
    uint64_t slot = use->of_frame ? slot_bit(body, use->slot) : 0;
    bool goes = before.registers & use->reads;
    bool loads = use->reads_memory && (use->of_frame ? (before.slots & slot) != 0
                                                     : (before.registers & use->addresses) != 0);
    bool computes = !use->reads_memory && !use->writes_memory && before.registers & use->addresses;
    if (use->writes_memory)
        before.slots =
            goes || (loads && use->of_frame) ? before.slots | slot : before.slots & ~slot;
    if (goes || loads || computes)
        before.registers |= use->writes;
    else
        before.registers &= ~use->writes;
    return before;
}

static void reach(struct body *body, size_t index, struct holders holders)
{
    struct holders *at = &body->at[index];
    if (!((holders.registers & ~at->registers) | (holders.slots & ~at->slots)))
        return;
    at->registers |= holders.registers;
    at->slots |= holders.slots;
    array_push(&body->steps, index);
}

static bool comes_to(const struct body *body, size_t from, size_t to)
{
    return from == to || one_pass_reaches(body->place.function, body->edges, from, from, to);
}

/* Does the program end there? */
static bool gives_up(const struct body *body, size_t from)
{
    static const char *const ends[] = {"__assert_fail", "__assert_perror_fail", "abort", "_exit",
                                       "exit",          "_ZSt9terminatev"};
    const struct function_code *function = body->place.function;
    while (from < function->count && function->items[from].flow == FLOW_ON)
        from++;
    if (from == function->count || function->items[from].flow != FLOW_CALL)
        return false;
    const char *name = called(body, &function->items[from]);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (strcmp(name, ends[i]) == 0)
            return true;
    return false;
}

/* Is the goal on one side of the branch only? An assertion decides nothing. */
static bool decides(const struct body *body, size_t branch)
{
    size_t next[2];
    size_t count = one_pass_next(body->place.function, body->edges, branch, next);
    for (size_t i = 0; i < count; i++)
        if (gives_up(body, next[i]))
            return false;
    if (body->goal == SIZE_MAX)
        return true;
    bool first = count && comes_to(body, next[0], body->goal);
    bool second = count == 2 && comes_to(body, next[1], body->goal);
    return first != second;
}

/* Follows from before instruction `index`. Registers of the result, if the function returns. */
static uint32_t follow(struct body *body, size_t index, struct holders holders)
{
    const struct function_code *function = body->place.function;
    uint32_t result = 0;
    reach(body, index, holders);
    while (body->steps.count) {
        size_t at = array_pop(&body->steps), next[2];
        const struct instruction *one = &function->items[at];
        struct holders now = after(body, one, body->at[at]);
        if (one->flow == FLOW_STOP)
            result |= now.registers & REGISTER_RESULT;
        if (one->flow == FLOW_BRANCH && !body->decided && body->at[at].registers & REGISTER_FLAGS)
            body->decided = decides(body, at);
        size_t count = one_pass_next(function, body->edges, at, next);
        for (size_t i = 0; i < count; i++)
            reach(body, next[i], now);
    }
    return result;
}

static bool enter(struct value_flow *self, struct body *body, uint64_t pc)
{
    *body = (struct body){.goal = SIZE_MAX};
    if (!code_place_find(self->files, pc, &body->place))
        return false;
    body->edges = edges_of(self, body->place.function);
    body->at = NEW_ARRAY(struct holders, body->place.function->count);
    return true;
}

static void leave(struct body *body)
{
    array_free(&body->steps);
    free(body->at);
}

/* --- the two ends ------------------------------------------------------------------- */

/* The access that a hook has announced, or SIZE_MAX. */
static size_t access_behind(const struct body *body, size_t hook, bool write)
{
    const struct function_code *function = body->place.function;
    for (size_t i = hook + 1; i < function->count && i <= hook + ACCESS_MOST; i++) {
        const struct instruction *one = &function->items[i];
        if (!one->use.of_frame && (write ? one->use.writes_memory : one->use.reads_memory) &&
            one->flow == FLOW_ON)
            return i;
        if (one->flow != FLOW_ON)
            break;
    }
    return SIZE_MAX;
}

/* From where in the function on the value is in which registers. */
static bool begins(const struct body *body, size_t call, bool innermost, size_t *index,
                   struct holders *holders)
{
    const char *name = called(body, &body->place.function->items[call]);
    *holders = (struct holders){.registers = REGISTER_RESULT};
    *index = call + 1;
    if (innermost && is_hook(name) && !is_atomic_hook(name)) {
        size_t load = access_behind(body, call, false);
        if (load == SIZE_MAX)
            return false;
        holders->registers = body->place.function->items[load].use.writes;
        *index = load + 1;
    }
    return *index < body->place.function->count && holders->registers;
}

/* Does what was followed go into the write, or which arguments of the call does it go into? */
static uint32_t arrives(const struct body *body, size_t call, bool innermost)
{
    const char *name = called(body, &body->place.function->items[call]);
    uint32_t given = body->at[call].registers & REGISTER_ARGUMENTS;
    if (!innermost || !is_hook(name))
        return given;
    if (is_atomic_hook(name))
        return strstr(name, "_store") ? given & REGISTER_VALUE : 0;
    size_t store = access_behind(body, call, true);
    if (store == SIZE_MAX || body->place.function->items[store].use.reads_memory)
        return 0;
    return body->at[store].registers & body->place.function->items[store].use.reads;
}

/* Out of the functions that the read is in, up to the outermost; `decided`: also what their
 * branches make of it. */
static bool comes_out(struct value_flow *self, struct call_path from, bool decided)
{
    for (size_t i = 0; i + 1 < from.count; i++) {
        struct body body;
        struct holders holders;
        size_t call, index;
        if (!enter(self, &body, from.pcs[i]))
            return false;
        bool out = call_at(&body.place, from.pcs[i], &call) &&
                   begins(&body, call, i == 0, &index, &holders) &&
                   (follow(&body, index, holders) || (decided && body.decided));
        leave(&body);
        if (!out)
            return false;
    }
    return true;
}

/* Into the functions that the write is in, from the one below the outermost. */
static bool goes_in(struct value_flow *self, struct call_path to, uint32_t given)
{
    for (size_t i = to.count - 1; i-- > 0 && given;) {
        struct body body;
        size_t call;
        if (!enter(self, &body, to.pcs[i]))
            return false;
        follow(&body, 0, (struct holders){.registers = given});
        given = call_at(&body.place, to.pcs[i], &call) ? arrives(&body, call, i == 0) : 0;
        leave(&body);
    }
    return given != 0;
}

bool value_flow_carries(struct value_flow *self, struct call_path from, struct call_path to)
{
    struct body body;
    struct holders holders;
    size_t read, write, index;
    uint32_t given = 0;
    assert(from.count && to.count);
    if (!comes_out(self, from, false) || !enter(self, &body, from.pcs[from.count - 1]))
        return false;
    if (call_at(&body.place, from.pcs[from.count - 1], &read) &&
        call_at(&body.place, to.pcs[to.count - 1], &write) &&
        begins(&body, read, from.count == 1, &index, &holders)) {
        follow(&body, index, holders);
        given = arrives(&body, write, to.count == 1);
    }
    leave(&body);
    return given && goes_in(self, to, given);
}

bool value_flow_decides(struct value_flow *self, struct call_path from, struct call_path to)
{
    struct body body;
    struct holders holders;
    size_t read, index;
    assert(from.count && to.count);
    if (!comes_out(self, from, true) || !enter(self, &body, from.pcs[from.count - 1]))
        return false;
    if (call_at(&body.place, from.pcs[from.count - 1], &read) &&
        call_at(&body.place, to.pcs[to.count - 1], &body.goal) &&
        begins(&body, read, from.count == 1, &index, &holders))
        follow(&body, index, holders);
    bool decided = body.decided;
    leave(&body);
    return decided;
}

bool value_flow_tests(struct value_flow *self, struct call_path from)
{
    bool tested = false, out = true;
    for (size_t i = 0; i < from.count && out && !tested; i++) {
        struct body body;
        struct holders holders;
        size_t call, index;
        if (!enter(self, &body, from.pcs[i]))
            return false;
        out = call_at(&body.place, from.pcs[i], &call) &&
              begins(&body, call, i == 0, &index, &holders) && follow(&body, index, holders);
        tested = body.decided;
        leave(&body);
    }
    return tested;
}

/* The load of what the store writes, in front of the hook (where a compiler that tells of a write
 * only puts it) or behind it; SIZE_MAX if there is none. */
static size_t load_for(const struct body *body, size_t hook, size_t store)
{
    const struct instruction *items = body->place.function->items;
    size_t first = hook;
    while (first && items[first - 1].flow == FLOW_ON && hook - first < ACCESS_MOST)
        first--;
    for (size_t i = store + 1; i-- > first;)
        if (items[i].use.reads_memory && !items[i].use.of_frame &&
            items[i].use.offset == items[store].use.offset)
            return i;
    return SIZE_MAX;
}

bool value_flow_updates(struct value_flow *self, uint64_t pc)
{
    struct body body;
    size_t call, load = SIZE_MAX, store = SIZE_MAX;
    if (!enter(self, &body, pc))
        return false;
    if (call_at(&body.place, pc, &call))
        store = access_behind(&body, call, true);
    if (store != SIZE_MAX)
        load = load_for(&body, call, store);
    bool updates = load != SIZE_MAX && load == store;
    if (load < store && store != SIZE_MAX) {
        const struct instruction *items = body.place.function->items;
        follow(&body, load + 1, (struct holders){.registers = items[load].use.writes});
        updates = body.at[store].registers & items[store].use.reads;
    }
    leave(&body);
    return updates;
}
