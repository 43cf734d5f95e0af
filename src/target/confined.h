/* SPDX-License-Identifier: MIT */
/* Writing where nothing else keeps it apart: a process of ours, and all that it starts, may change
 * nothing but what is in certain directories; whatever tries is told EACCES. This is Landlock,
 * which needs no rights and which containers leave to their programs. (Modes, owners and times of
 * files elsewhere are not covered by it: who owns a file can still change those.) */
#ifndef PREPLAY_TARGET_CONFINED_H
#define PREPLAY_TARGET_CONFINED_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Linux 6.2 and later can, if Landlock is switched on: before, truncate() was not covered. */
bool confined_possible(void);

/* For good. Devices and what the kernel shows as files below /proc stay writable. Who enters again
 * may write what both allow. */
int confined_enter(const char *const *directories, size_t count, struct error *error);

#endif
