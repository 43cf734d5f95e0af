/* Truth that the oracle does not have, by walking through every state that the
 * machine reaches: slow, plain, for small traces only. */
#ifndef PREPLAY_TEST_CSP_WALK_H
#define PREPLAY_TEST_CSP_WALK_H

#include "model/machine.h"

/* By pos: a return from a wait that some state leaves without a signal, all of
 * which come from one other thread. The caller frees it. */
bool *walk_lost_wakeups(const struct history *history, enum model model);

/* By pair of positions (lower * count + higher): races under `sync` within windows
 * of `size` accesses and synchronisation events; and how many there are. */
bool *walk_window_races(const struct history *history, uint32_t size, size_t *count);

#endif
