/* For walks through all states of a small trace. */
#ifndef PREPLAY_TESTS_SEEN_STATES_H
#define PREPLAY_TESTS_SEEN_STATES_H

#include "base/map.h"
#include "model/machine.h"

#include <stdlib.h>

/* True the first time this state is met. */
static inline bool seen_first(struct map *seen, const struct machine *machine)
{
    unsigned char *key = NULL;
    size_t room = 0, length = machine_key(machine, &key, &room);
    uint64_t hash = 1;
    for (size_t i = 0; i < length; i++)
        hash = map_mix((hash + key[i]) * UINT64_C(1099511628211));
    free(key);
    bool added;
    map_at(seen, hash >> 1, &added);
    return added;
}

#endif
