/* SPDX-License-Identifier: MIT */
#include "symbols/wait_code.h"

#include "symbols/code_walk.h"
#include "symbols/symbols.h"

enum role { ROLE_NONE, ROLE_LOCK, ROLE_UNLOCK, ROLE_WAIT, ROLE_END };

struct wait_code {
    struct code_files files;
};

struct wait_code *wait_code_create(struct symbols *symbols)
{
    struct wait_code *self = NEW(struct wait_code);
    self->files.symbols = symbols;
    return self;
}

void wait_code_destroy(struct wait_code *self)
{
    if (!self)
        return;
    code_files_free(&self->files);
    free(self);
}

struct code_files *wait_code_files(struct wait_code *self)
{
    return &self->files;
}

/* --- what a call does with mutexes ------------------------------------------------- */

static enum role library_role(const char *name)
{
    static const struct {
        const char *name;
        enum role role;
    } known[] = {
        {"pthread_cond_wait", ROLE_WAIT},
        {"pthread_cond_timedwait", ROLE_WAIT},
        {"pthread_cond_clockwait", ROLE_WAIT},
        {"cnd_wait", ROLE_WAIT},
        {"cnd_timedwait", ROLE_WAIT},
        {"_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", ROLE_WAIT},
        {"_ZNSt3__118condition_variable4waitERNS_11unique_lockINS_5mutexEEE", ROLE_WAIT},
        {"_ZNSt3__118condition_variable15__do_timed_waitERNS_11unique_lockINS_5mutexEEENS_6chrono10"
         "time_pointINS5_12system_clockENS5_8durationIxNS_5ratioILl1ELl1000000000EEEEEEE",
         ROLE_WAIT},
        {"g_cond_wait", ROLE_WAIT},
        {"g_cond_wait_until", ROLE_WAIT},
        {"uv_cond_wait", ROLE_WAIT},
        {"uv_cond_timedwait", ROLE_WAIT},
        {"pthread_mutex_unlock", ROLE_UNLOCK},
        {"mtx_unlock", ROLE_UNLOCK},
        {"_ZNSt3__15mutex6unlockEv", ROLE_UNLOCK},
        {"g_mutex_unlock", ROLE_UNLOCK},
        {"uv_mutex_unlock", ROLE_UNLOCK},
        {"pthread_mutex_lock", ROLE_LOCK},
        {"pthread_mutex_timedlock", ROLE_LOCK},
        {"pthread_mutex_clocklock", ROLE_LOCK},
        {"mtx_lock", ROLE_LOCK},
        {"mtx_timedlock", ROLE_LOCK},
        {"_ZNSt3__15mutex4lockEv", ROLE_LOCK},
        {"g_mutex_lock", ROLE_LOCK},
        {"uv_mutex_lock", ROLE_LOCK},
        {"abort", ROLE_END},
        {"exit", ROLE_END},
        {"_exit", ROLE_END},
        {"pthread_exit", ROLE_END},
        {"longjmp", ROLE_END},
        {"__assert_fail", ROLE_END},
        {"__stack_chk_fail", ROLE_END},
        {"_Unwind_Resume", ROLE_END},
        {"__cxa_throw", ROLE_END},
        {"__cxa_rethrow", ROLE_END},
        {"_ZSt9terminatev", ROLE_END},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0)
            return known[i].role;
    return ROLE_NONE;
}

static enum role role_of(struct code_module *module, const struct instruction *call, int depth);

/* What a function of the program's own does as a whole: what is locked and unlocked inside is its
 * own affair. */
static enum role function_role(struct code_module *module, const struct function_code *function,
                               int depth)
{
    bool has[ROLE_END + 1] = {false};
    for (size_t i = 0; i < function->count; i++) {
        const struct instruction *one = &function->items[i];
        if (one->flow == FLOW_CALL || (one->flow == FLOW_JUMP && code_leaves(function, one)))
            has[role_of(module, one, depth + 1)] = true;
    }
    if (has[ROLE_LOCK])
        return has[ROLE_UNLOCK] || has[ROLE_WAIT] ? ROLE_NONE : ROLE_LOCK;
    return has[ROLE_UNLOCK] ? ROLE_UNLOCK : has[ROLE_WAIT] ? ROLE_WAIT : ROLE_NONE;
}

static enum role role_of(struct code_module *module, const struct instruction *call, int depth)
{
    const char *name = machine_code_import(module->code, call);
    bool added;
    if (name)
        return library_role(name);
    if (!call->target || call->through_slot || depth == CALLS_DEPTH)
        return ROLE_NONE;
    uint64_t *known = map_at(&module->roles, call->target, &added);
    if (!added)
        return (enum role) * known; /* none while it is being looked at: it calls itself */
    const struct function_code *function = machine_code_function(module->code, call->target);
    enum role role = function ? function_role(module, function, depth) : ROLE_NONE;
    *map_at(&module->roles, call->target, NULL) = role;
    return role;
}

/* --- paths that keep the mutex -------------------------------------------------------- */

/* Goes on behind a call (or a jump into another function); false where the path ends. */
static bool pass_call(struct code_walk *walk, enum role role, size_t index, size_t *locks)
{
    switch (role) {
    case ROLE_LOCK:
        *locks += *locks + 1 < LOCKS_MOST;
        return true;
    case ROLE_UNLOCK:
        if (!*locks)
            return false;
        --*locks;
        return true;
    case ROLE_WAIT:
        if (!*locks && walk->wait_count < WAITS_MOST)
            walk->waits[walk->wait_count++] = index;
        return false;
    case ROLE_END:
        return false;
    default:
        return true;
    }
}

static void walk_step(const struct code_place *place, struct code_walk *walk, size_t index,
                      size_t locks)
{
    const struct function_code *function = place->function;
    const struct instruction *one = &function->items[index];
    bool away = one->flow == FLOW_CALL || (one->flow == FLOW_JUMP && code_leaves(function, one));
    if (away && !pass_call(walk, role_of(place->module, one, 0), index, &locks))
        return;
    if (one->flow == FLOW_STOP || (away && one->flow == FLOW_JUMP))
        walk->returns |= !locks;
    else if (one->flow != FLOW_JUMP)
        code_walk_to(walk, index + 1, function->count, locks);
    if (!away && (one->flow == FLOW_JUMP || one->flow == FLOW_BRANCH) && one->target)
        code_walk_to(walk, code_index(function, one->target), function->count, locks);
}

/* All that is reached from an instruction with the mutex held. */
static struct code_walk walk_from(const struct code_place *place, size_t start)
{
    struct code_walk walk = {.seen = NEW_ARRAY(bool, place->function->count *LOCKS_MOST)};
    code_walk_to(&walk, start, place->function->count, 0);
    for (size_t i = 0; i < walk.steps.count; i++)
        walk_step(place, &walk, walk.steps.items[i] / LOCKS_MOST, walk.steps.items[i] % LOCKS_MOST);
    return walk;
}

static bool walks_to_wait(const struct code_place *place, size_t start)
{
    struct code_walk walk = walk_from(place, start);
    bool found = walk.wait_count > 0;
    code_walk_end(&walk);
    return found;
}

/* The wait leads back to the line of the check. */
static bool comes_back(const struct code_place *place, size_t wait, const char *line)
{
    struct code_walk walk = walk_from(place, wait + 1);
    bool found = false;
    for (size_t i = 0; i < walk.steps.count && !found; i++)
        found = code_is_on(place, &place->function->items[walk.steps.items[i] / LOCKS_MOST], line);
    code_walk_end(&walk);
    return found;
}

/* A branch of this line decides whether to wait. */
static bool decides(const struct code_place *place, const struct code_walk *walk, const char *line)
{
    for (size_t i = 0; i < walk->steps.count; i++) {
        size_t index = walk->steps.items[i] / LOCKS_MOST;
        const struct instruction *one = &place->function->items[index];
        if (one->flow == FLOW_BRANCH && one->target && !code_leaves(place->function, one) &&
            code_is_on(place, one, line) &&
            walks_to_wait(place, index + 1) !=
                walks_to_wait(place, code_index(place->function, one->target)))
            return true;
    }
    return false;
}

static enum wait_answer checks(const struct code_place *place, uint64_t pc, uint64_t *site,
                               bool *returns)
{
    const char *line = symbols_line(place->symbols, pc);
    struct code_walk walk = walk_from(place, code_index(place->function, pc - place->bias));
    enum wait_answer answer = WAIT_NOT;
    *returns = walk.returns;
    for (size_t i = 0; i < walk.wait_count && answer == WAIT_NOT; i++) {
        const struct instruction *call = &place->function->items[walk.waits[i]];
        if (!comes_back(place, walk.waits[i], line) && !decides(place, &walk, line))
            continue;
        answer = WAIT_CHECKED;
        *site = machine_code_import(place->module->code, call) ? call->end + place->bias : 0;
    }
    code_walk_end(&walk);
    return answer;
}

enum wait_answer wait_code_checks(struct wait_code *self, const uint64_t *pcs, size_t count,
                                  uint64_t *site)
{
    enum wait_answer answer = WAIT_UNKNOWN;
    *site = 0;
    for (size_t i = 0; i < count && answer != WAIT_CHECKED; i++) {
        struct code_place place;
        bool returns = false;
        if (!code_place_find(&self->files, pcs[i], &place))
            return answer;
        answer = checks(&place, pcs[i], site, &returns);
        if (!returns)
            break;
    }
    return answer;
}
