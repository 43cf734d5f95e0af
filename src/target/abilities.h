/* SPDX-License-Identifier: MIT */
/* What this machine offers to keep a replayed program apart. Container engines and hardened
 * kernels forbid some of it, so each is tried. */
#ifndef PREPLAY_TARGET_ABILITIES_H
#define PREPLAY_TARGET_ABILITIES_H

#include <stdbool.h>

struct abilities {
    bool users;           /* all of it in a user namespace only: this is an ordinary user */
    bool mounts;          /* mounts of its own */
    bool overlays;        /* and overlayfs among them */
    bool processes;       /* a PID namespace with a /proc of its own */
    bool network;         /* a network of its own */
    bool marks_in_memory; /* files in memory can have attributes, as Linux 6.6 has it */
    bool refusals;        /* writes to anything else can be refused (confined.h) */
};

void abilities_find(struct abilities *abilities);

#endif
