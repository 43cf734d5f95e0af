/* SPDX-License-Identifier: MIT */
/* Whether a program that is run again can have a network of its own: not if the recorded run talked
 * with anybody but itself (runtime/network.h). */
#ifndef PREPLAY_TARGET_NETWORK_H
#define PREPLAY_TARGET_NETWORK_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct network {
    char other[256]; /* whom it talked with, for a person to read; "": itself only */
};

/* Reads what is known of a recording. `reach` is called with the path of each socket that others
 * have in the file system. */
int network_read(struct network *network, const char *recording,
                 void (*reach)(void *context, const char *path), void *context,
                 struct error *error);

#endif
