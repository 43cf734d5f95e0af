/* SPDX-License-Identifier: MIT */
/* What a descriptor is to the kernel, found out from the kernel itself: descriptors are made,
 * copied, sent to each other and closed in too many ways to follow them all. A pipe and a socket
 * have a number of their own there (the inode), so that duplicates, and what came by SCM_RIGHTS,
 * are known to be the same; an event counter has one, too.
 *
 * What was found is kept by descriptor and believed as long as its inode is the same. Any
 * descriptor will do, however high. Safe in signal handlers; errno is kept. */
#ifndef PREPLAY_RUNTIME_DESCRIPTORS_H
#define PREPLAY_RUNTIME_DESCRIPTORS_H

#include "runtime/ways.h"

struct descriptor descriptor_look(int number);
/* It is another one from now on, or none. */
void descriptor_forget(int number);
/* `copy` is `number` again. */
void descriptor_copy(int number, int copy);

/* Which opening of a file this is: a number that its duplicates share, and no other descriptor of
 * the same file. 0 if it is none. */
uint64_t descriptor_opening(int number, uint64_t *file);
/* The same, of one that was asked about before; 0 of all others. */
uint64_t descriptor_known_opening(int number, uint64_t *file);

/* How long the process's table of descriptors is: none is higher. */
int descriptor_table(void);

/* The inode of a socket or pipe; 0 if there is none. */
uint64_t descriptor_inode(int number);

#endif
