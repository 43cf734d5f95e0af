/* SPDX-License-Identifier: MIT */
/* What gdb learns when it stands at an error: to hide the runtime's frames, to stand in the user's,
 * and the commands preplay, preplay next, preplay prev and preplay why. */
#ifndef PREPLAY_REPLAY_GDB_COMMANDS_H
#define PREPLAY_REPLAY_GDB_COMMANDS_H

/* Python for gdb; it needs the variable preplay_story, the path of the story (debugging.c). */
extern const char gdb_commands[];

#endif
