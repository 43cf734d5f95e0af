/* SPDX-License-Identifier: MIT */
/* Programs that forbid themselves system calls (seccomp). */
#ifndef PREPLAY_RUNTIME_SEAL_H
#define PREPLAY_RUNTIME_SEAL_H

/* The program is about to. There is no way back. */
void seal(void);

#endif
