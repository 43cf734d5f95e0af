/* SPDX-License-Identifier: MIT */
/* Namespaces of Linux, for a process that is about to start a program: mounts, network
 * interfaces and, for whoever may not have these as he is, users. */
#ifndef PREPLAY_TARGET_NAMESPACES_H
#define PREPLAY_TARGET_NAMESPACES_H

#include "base/error.h"

#include <stdbool.h>

/* May this process have namespaces only inside a user namespace of its own? In one, the user is
 * who he was, nobody else exists, and a program cannot change to another user. */
bool namespaces_need_users(void);

/* Moves the calling process. Mounts that it makes are seen by nobody outside. Of a private
 * network the loopback interface is up, and nothing else. 0, or -1 with an error. */
int namespaces_enter(bool mounts, bool network, struct error *error);

#endif
