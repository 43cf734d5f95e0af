/* SPDX-License-Identifier: MIT */
/* Variables with a fixed address, as DWARF describes them: of a unit, of its namespaces, and
 * static ones inside functions. */
#ifndef PREPLAY_SYMBOLS_DEBUG_VARIABLES_H
#define PREPLAY_SYMBOLS_DEBUG_VARIABLES_H

#include <elfutils/libdw.h>
#include <stdbool.h>

/* Calls `visit` for each variable of a unit, with its address in the module. */
void debug_variables_visit(Dwarf_Die *unit,
                           void (*visit)(void *context, Dwarf_Die *variable, Dwarf_Addr address),
                           void *context);

/* The type that a variable, a member or a type refers to. */
bool debug_type_of(Dwarf_Die *die, Dwarf_Die *type);
/* How far into its structure a member lies. */
Dwarf_Word debug_member_offset(Dwarf_Die *member);

#endif
