/* SPDX-License-Identifier: MIT */
#include "relations/moment.h"

#include "base/memory.h"

#include <stdlib.h>

struct moment *moment_take(struct moments *moments, uint32_t thread, const struct vclock *clock)
{
    struct moment *moment = moments->unused;
    if (moment)
        moments->unused = moment->next;
    else
        moment = NEW(struct moment);
    vclock_copy(&moment->clock, clock);
    moment->thread = thread;
    moment->tick = vclock_get(clock, thread);
    moment->references = 1;
    return moment;
}

void moment_drop(struct moments *moments, struct moment *moment)
{
    if (!moment || --moment->references)
        return;
    moment->next = moments->unused;
    moments->unused = moment;
}

void moments_free(struct moments *moments)
{
    while (moments->unused) {
        struct moment *moment = moments->unused;
        moments->unused = moment->next;
        vclock_free(&moment->clock);
        free(moment);
    }
}
