/* SPDX-License-Identifier: MIT */
/* Notes the command line, environment and directory of this process in its trace. */
#ifndef PREPLAY_RUNTIME_COMMAND_H
#define PREPLAY_RUNTIME_COMMAND_H

void command_note(void);

#endif
