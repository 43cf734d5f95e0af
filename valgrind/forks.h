/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Children of the target. */
#ifndef PREPLAY_VALGRIND_FORKS_H
#define PREPLAY_VALGRIND_FORKS_H

void forks_watch(void);

#endif
