/* SPDX-License-Identifier: MIT */
/* Files that whoever started the process left it open to write to: the program changes them without
 * ever opening them. */
#ifndef PREPLAY_RUNTIME_INHERITED_H
#define PREPLAY_RUNTIME_INHERITED_H

#include <stdbool.h>
#include <sys/stat.h>

/* At the process's start. */
void inherited_note(void);
/* May this file be written to through one of those? */
bool inherited_writes_to(const struct stat *status);

#endif
