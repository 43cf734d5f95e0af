/* Truth that the oracle does not have, by walking through every state that the
 * machine reaches: slow, plain, for small traces only. */
#ifndef PREPLAY_TEST_CSP_WALK_H
#define PREPLAY_TEST_CSP_WALK_H

#include "model/machine.h"

/* By pair of positions (lower * count + higher): races under `sync` within windows
 * of `size` accesses and synchronisation events; and how many there are. */
bool *walk_window_races(const struct history *history, uint32_t size, size_t *count);

#endif
