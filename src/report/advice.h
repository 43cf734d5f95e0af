/* SPDX-License-Identifier: MIT */
/* What would end a race, where that is certain: a lock that every other access to the variable
 * holds, and that this one can take without closing a cycle of locks; or an atomic operation,
 * where every other access is one. One walk over the trace answers for all findings. */
#ifndef PREPLAY_REPORT_ADVICE_H
#define PREPLAY_REPORT_ADVICE_H

#include "report/held.h"

struct advice;

struct advice *advice_create(const struct history *history, const struct finding *const *findings,
                             size_t count);
void advice_destroy(struct advice *advice);

/* "take m at cache.c:12:5 (get), as every other access does"; malloc-ed. NULL if nothing is
 * certain. */
char *advice_for(const struct advice *advice, const struct history *history,
                 const struct held *held, const struct finding *finding);

#endif
