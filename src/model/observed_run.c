/* SPDX-License-Identifier: MIT */
#include "model/observed_run.h"

void observed_run_free(struct observed_run *run)
{
    if (run->machine)
        machine_destroy(run->machine);
    *run = (struct observed_run){0};
}

const struct machine *observed_run_at(struct observed_run *run, const struct rules *rules,
                                      uint32_t pos)
{
    if (run->pos > pos)
        observed_run_free(run);
    if (!run->machine)
        run->machine = machine_create(rules);
    for (; run->pos < pos; run->pos++) {
        if (machine_forbids(run->machine, run->pos) != RULE_NONE)
            return NULL;
        machine_execute(run->machine, run->pos);
    }
    return run->machine;
}
