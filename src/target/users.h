/* SPDX-License-Identifier: MIT */
/* Whether a recorded program changed its user or its groups: in a user namespace it could not. */
#ifndef PREPLAY_TARGET_USERS_H
#define PREPLAY_TARGET_USERS_H

#include <stdbool.h>
#include <stddef.h>

/* True, with the reason as words that follow "and", if a process of the recording did so. */
bool users_changed(const char *recording, char *why, size_t size);

#endif
