/* Truth that the oracle does not have, by walking through every state that the
 * machine reaches: slow, plain, for small traces only. */
#ifndef PREPLAY_TEST_CSP_WALK_H
#define PREPLAY_TEST_CSP_WALK_H

#include "model/machine.h"

/* For every pair of positions (lower * count + higher) that races under `sync` within a
 * window of `size` accesses and synchronisation events: how many steps of the CSP model
 * (csp/process.h) a shortest way there takes from the window's start; NO_WAY for all
 * others. */
#define NO_WAY UINT32_MAX
uint32_t *walk_races(const struct history *history, uint32_t size);

/* Is the event a step of the model in the window from .. to - 1? */
bool walk_is_step(const struct history *history, uint32_t pos, uint32_t from, uint32_t to);
/* The end of the window that begins at `from`. */
uint32_t walk_window_end(const struct history *history, uint32_t from, uint32_t size);

#endif
