/* SPDX-License-Identifier: MIT */
/* A witness in the papers' notation: its synchronisation events, as CSP events
 * such as `lock.t2.m`, separated by commas. Starts and ends of threads that the
 * trace does not record are shown where a schedule needs them. */
#ifndef PREPLAY_CSP_COUNTEREXAMPLE_H
#define PREPLAY_CSP_COUNTEREXAMPLE_H

#include "trace/history.h"

/* The text of witness[from .. to); the last `targets` events of the whole witness
 * are the error's own and no part of it. Cut with "..." after `most` events. The
 * caller frees it. */
char *counterexample_text(const struct history *history, const uint32_t *witness, uint32_t length,
                          uint32_t targets, uint32_t from, uint32_t most);

#endif
