/* SPDX-License-Identifier: MIT */
/* Loops that only look: wait_code_looks(). */
#include "symbols/code_walk.h"
#include "symbols/symbols.h"
#include "symbols/wait_code.h"

static bool is_idle_name(const char *name)
{
    static const char *const names[] = {"sched_yield",     "pthread_yield", "thrd_yield",
                                        "usleep",          "nanosleep",     "clock_nanosleep",
                                        "sleep",           "thrd_sleep",    "__tsan_func_entry",
                                        "__tsan_func_exit"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return strncmp(name, "__tsan_atomic", 13) == 0 && strstr(name, "_load");
}

static bool is_idle(struct code_module *module, const struct instruction *call, int depth)
{
    const char *name = machine_code_import(module->code, call);
    bool added, idle = true;
    if (name)
        return is_idle_name(name);
    const struct function_code *function = call->target && !call->through_slot
                                               ? machine_code_function(module->code, call->target)
                                               : NULL;
    if (!function || depth == CALLS_DEPTH)
        return false;
    uint64_t *known = map_at(&module->idle, function->low, &added);
    if (!added)
        return *known;
    for (size_t i = 0; i < function->count && idle; i++) {
        const struct instruction *one = &function->items[i];
        if (one->flow == FLOW_CALL || (one->flow == FLOW_JUMP && code_leaves(function, one)))
            idle = is_idle(module, one, depth + 1);
    }
    *map_at(&module->idle, function->low, NULL) = idle;
    return idle;
}

static void idle_step(const struct code_place *place, struct code_walk *walk, size_t index)
{
    const struct function_code *function = place->function;
    const struct instruction *one = &function->items[index];
    bool away = one->flow == FLOW_CALL || (one->flow == FLOW_JUMP && code_leaves(function, one));
    if (away && !is_idle(place->module, one, 0))
        return;
    if (one->flow == FLOW_STOP || (away && one->flow == FLOW_JUMP))
        walk->returns = true;
    else if (one->flow != FLOW_JUMP)
        code_walk_to(walk, index + 1, function->count, 0);
    if (!away && (one->flow == FLOW_JUMP || one->flow == FLOW_BRANCH) && one->target)
        code_walk_to(walk, code_index(function, one->target), function->count, 0);
}

static bool is_load(const struct code_place *place, const struct instruction *call)
{
    const char *name =
        call->flow == FLOW_CALL ? machine_code_import(place->module->code, call) : NULL;
    return name && strncmp(name, "__tsan_atomic", 13) == 0 && strstr(name, "_load");
}

/* A copy of the same check: compilers put the first one in front of the loop. */
static bool is_copy(const struct code_place *place, size_t index, size_t call)
{
    const struct instruction *one = &place->function->items[index];
    const char *line = symbols_line(place->symbols, place->function->items[call].end + place->bias);
    return index == call ||
           (one->flow == FLOW_CALL && one->target == place->function->items[call].target &&
            code_is_on(place, one, line));
}

static bool is_local_access(const struct code_place *place, const struct instruction *call)
{
    const char *name = call->of_frame ? machine_code_import(place->module->code, call) : NULL;
    return name &&
           (strncmp(name, "__tsan_read", 11) == 0 || strncmp(name, "__tsan_write", 12) == 0);
}

/* Where something is decided by what was loaded: code that is not optimised keeps it in a local
 * variable first. */
static size_t decided_at(const struct code_place *place, size_t call)
{
    const struct function_code *function = place->function;
    size_t index = call + 1;
    for (; index < function->count; index++) {
        const struct instruction *one = &function->items[index];
        if (one->flow == FLOW_JUMP || one->flow == FLOW_BRANCH || one->flow == FLOW_STOP)
            return index;
        if (one->flow == FLOW_CALL && !is_local_access(place, one))
            return call + 1;
    }
    return call + 1;
}

/* Does idling lead from behind the call back to it? `returns`: or out of the function. */
static bool idles(const struct code_place *place, size_t call, bool *returns)
{
    struct code_walk walk = {.seen = NEW_ARRAY(bool, place->function->count *LOCKS_MOST)};
    code_walk_to(&walk, decided_at(place, call), place->function->count, 0);
    bool back = false;
    for (size_t i = 0; i < walk.steps.count && !back; i++) {
        size_t index = walk.steps.items[i] / LOCKS_MOST;
        back = is_copy(place, index, call);
        idle_step(place, &walk, index);
    }
    *returns = walk.returns;
    code_walk_end(&walk);
    return back;
}

bool wait_code_looks(struct wait_code *self, const uint64_t *pcs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct code_place place;
        bool returns = false;
        if (!code_place_find(wait_code_files(self), pcs[i], &place))
            return i > 0;
        size_t behind = code_index(place.function, pcs[i] - place.bias);
        if (!behind || place.function->items[behind - 1].end != pcs[i] - place.bias ||
            (!i && !is_load(&place, &place.function->items[behind - 1])))
            return false;
        if (idles(&place, behind - 1, &returns))
            return false;
        if (!returns)
            break;
    }
    return count > 0;
}
