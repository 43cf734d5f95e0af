/* SPDX-License-Identifier: MIT */
/* preplay engines: what each engine finds, what its findings are worth, and where it comes from. */
#include "cli/command.h"
#include "engine/engine.h"

#include <stdio.h>

static void print_models(const struct engine *engine)
{
    const char *comma = "";
    if (!engine->models)
        return;
    fputs("             models: ", stdout);
    for (unsigned model = MODEL_SYNC; model < MODEL_COUNT; model++)
        if (engine->models >> model & 1) {
            bool standard = model == engine->default_model;
            printf("%s%s%s", comma, model_text(model), standard ? " (if none is given)" : "");
            comma = ", ";
        }
    putchar('\n');
}

int cmd_engines(struct options *options, struct error *error)
{
    if (command_arguments(options, 0, "no arguments", error))
        return -1;
    for (size_t i = 0; engine_registry[i]; i++) {
        const struct engine *engine = engine_registry[i];
        printf("%-11s  %s\n             promises: %s\n", engine->name, engine->summary,
               engine->promise);
        print_models(engine);
        printf("             from: %s\n", engine->source);
    }
    return EXIT_OK;
}
