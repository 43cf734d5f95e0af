/* cp: causally-precedes races (model/cp.h), on the whole trace at once.
 *
 * Two conflicting accesses race if causally-precedes orders them in neither
 * direction. Every happens-before race is one; those that are not are marked.
 *
 * Guarantee (dissertation, Appendix B): if there is a cp race, then some correct
 * reordering has a race or a deadlock. The theorem speaks of the first race only,
 * so findings are candidates.
 *
 * Dissertation, Part IV and Appendices A and B (POPL 2012). */
#include "engine/clock_races.h"
#include "engine/engine.h"
#include "model/cp.h"

static void create(struct engine_run *run)
{
    run->state = NULL;
}

static int finish(struct engine_run *run, struct error *error)
{
    (void)error;
    const struct history *history = run->history;
    struct clock_races *races = clock_races_create(run, NULL);
    struct cp *cp = cp_create(history);
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        clock_races_look_ahead(races, history->events, pos, history->count);
        cp_enter(cp, pos);
        if (op_in(event->op, OPS_ACCESS))
            clock_races_check(races, event, pos, history->index[pos], cp_before(cp, event->thread),
                              cp_happened_before(cp, event->thread));
        cp_leave(cp, pos);
    }
    cp_destroy(cp);
    clock_races_destroy(races);
    return 0;
}

const struct engine engine_cp = {
    .name = "cp",
    .summary = "causally-precedes races",
    .promise = "the first one stands for a race or a deadlock",
    .source = "dissertation Part IV, Appendix A",
    .finds = FINDS_RACES,
    .guarantee = GUARANTEE_HEURISTIC,
    .default_model = MODEL_NONE,
    .whole_trace = true,
    .create = create,
    .finish = finish,
};
