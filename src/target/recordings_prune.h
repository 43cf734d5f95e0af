/* SPDX-License-Identifier: MIT */
/* Which old recordings in preplay.data make room for a new one: of each PROGRAM all but the newest
 * `keep` (the new one counts), then, while all together are larger than `bytes`, the longest
 * unused. Those in use stay, and so does whatever holds a file that is not ours. */
#ifndef PREPLAY_TARGET_RECORDINGS_PRUNE_H
#define PREPLAY_TARGET_RECORDINGS_PRUNE_H

#include <stdint.h>

#define RECORDINGS "preplay.data"

struct recordings_rule {
    uint64_t keep;  /* of one program; 0: all */
    uint64_t bytes; /* all together; 0: any number */
};

/* N of an entry "PROGRAM-N", of this program or of any (NULL); 0 if it is none. */
uint64_t recordings_number(const char *entry, const char *program);

/* Removes what the rule says, but never `newest`, a path below RECORDINGS. */
void recordings_prune(const struct recordings_rule *rule, const char *newest);

#endif
