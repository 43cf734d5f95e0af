/* Races that happens-before leaves unordered, in any correct reordering under `rf`
 * (model/checker.h, the second kind): by trying all of them, one by one. Without any
 * reduction, so only for very small traces. */
#ifndef PREPLAY_ORACLE_UNORDERED_ORACLE_H
#define PREPLAY_ORACLE_UNORDERED_ORACLE_H

#include "base/map.h"
#include "trace/history.h"

/* Adds the pairs to `pairs`, as map_pair() of positions, the smaller first. False if there are
 * more than `limit` places to stand at, and not all were looked at. */
bool unordered_explore(const struct history *history, uint64_t limit, struct map *pairs);

#endif
