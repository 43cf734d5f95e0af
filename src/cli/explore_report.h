/* SPDX-License-Identifier: MIT */
/* preplay report on the directory of an exploration. */
#ifndef PREPLAY_CLI_EXPLORE_REPORT_H
#define PREPLAY_CLI_EXPLORE_REPORT_H

#include "cli/reporting.h"

/* The exit code, or -1 with an error. */
int explore_report(const struct options *options, enum report_format format, struct error *error);

#endif
