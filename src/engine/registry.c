/* SPDX-License-Identifier: MIT */
#include "engine/engine.h"

#include <string.h>

extern const struct engine engine_hb, engine_shb, engine_lockset, engine_sidetrack;
extern const struct engine engine_auto, engine_tlh;
extern const struct engine engine_smt;
extern const struct engine engine_cp, engine_mb, engine_wcp, engine_syncp;
extern const struct engine engine_csp, engine_deadlock, engine_happened;
extern const struct engine engine_serial;
extern const struct engine engine_atomicity, engine_order;
extern const struct engine engine_misuse;

/* clang-format off */
const struct engine *const engine_registry[] = {
    &engine_hb,
    &engine_shb,
    &engine_lockset,
    &engine_cp,
    &engine_wcp,
    &engine_mb,
    &engine_syncp,
    &engine_tlh,
#ifdef PREPLAY_Z3
    &engine_smt,
#endif
    &engine_csp,
    &engine_deadlock,
    &engine_happened,
    &engine_sidetrack,
    &engine_serial,
    &engine_atomicity,
    &engine_order,
    &engine_misuse,
    &engine_auto,
    NULL,
};
/* clang-format on */

const struct engine *engine_find(const char *name, size_t length)
{
    for (size_t i = 0; engine_registry[i]; i++)
        if (strlen(engine_registry[i]->name) == length &&
            memcmp(engine_registry[i]->name, name, length) == 0)
            return engine_registry[i];
    return NULL;
}

void engine_begin(struct engine_run *run)
{
    if (run->engine->create)
        run->engine->create(run);
}

void engine_feed(struct engine_run *run, const struct event *events, size_t count, uint32_t first)
{
    if (run->engine->events)
        run->engine->events(run, events, count, first);
}

int engine_finish(struct engine_run *run, struct error *error)
{
    return run->engine->finish ? run->engine->finish(run, error) : 0;
}

void engine_end(struct engine_run *run)
{
    if (run->engine->destroy)
        run->engine->destroy(run);
}

enum model engine_model(const struct engine_run *run)
{
    enum model model = run->options->model;
    return model != MODEL_NONE && run->engine->models >> model & 1 ? model
                                                                   : run->engine->default_model;
}
