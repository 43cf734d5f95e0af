/* SPDX-License-Identifier: MIT */
/* Processes that record, found by what they were started with. */
#ifndef PREPLAY_TARGET_WRITER_H
#define PREPLAY_TARGET_WRITER_H

#include <stdbool.h>

/* Was the process started, perhaps by others in between, to record into the directory? */
bool writer_records_into(int process, const char *directory);

#endif
