/* SPDX-License-Identifier: MIT */
/* What reports tell of the recorded program, from the recording's manifest. */
#ifndef PREPLAY_CLI_REPORTING_PROGRAM_H
#define PREPLAY_CLI_REPORTING_PROGRAM_H

#include "report/report.h"

/* False if the directory has no manifest: a text trace. */
bool reporting_program(struct report_program *program, const char *directory);

#endif
