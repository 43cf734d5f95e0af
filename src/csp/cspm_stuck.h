/* SPDX-License-Identifier: MIT */
/* What the two files of the assertion of deadlocks share. */
#ifndef PREPLAY_CSP_CSPM_STUCK_H
#define PREPLAY_CSP_CSPM_STUCK_H

#include "csp/cspm_model.h"

/* The processes of all objects that can be frozen, and AT_SYNC, which composes them. */
void cspm_write_frozen_objects(struct cspm_model *model);

#endif
