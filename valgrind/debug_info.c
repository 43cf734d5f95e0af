/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Valgrind's core reads the debug information of everything that is mapped, for the
 * errors that most tools report. We report none: lines are looked up afterwards, in the
 * trace's load map. The linker puts these in the place of the core's readers (--wrap),
 * which halves the time to start, saves the memory, and lets programs run whose debug
 * information is newer than Valgrind. Symbols are still read. */
#include "pub_tool_basics.h"

void __wrap_vgModuleLocal_read_debuginfo_dwarf3(void);
void __wrap_vgModuleLocal_read_callframe_info_dwarf3(void);
void __wrap_vgModuleLocal_new_dwarf3_reader(void);

void __wrap_vgModuleLocal_read_debuginfo_dwarf3(void)
{
}

void __wrap_vgModuleLocal_read_callframe_info_dwarf3(void)
{
}

void __wrap_vgModuleLocal_new_dwarf3_reader(void)
{
}
