/* SPDX-License-Identifier: MIT */
#include "symbols/debug_variables.h"

#include <dwarf.h>

enum { DEPTH_MOST = 16 };

struct visit {
    void (*function)(void *context, Dwarf_Die *variable, Dwarf_Addr address);
    void *context;
};

bool debug_type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attribute;
    return dwarf_attr_integrate(die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, type);
}

Dwarf_Word debug_member_offset(Dwarf_Die *member)
{
    Dwarf_Attribute attribute;
    Dwarf_Word offset = 0;
    if (dwarf_attr(member, DW_AT_data_member_location, &attribute))
        dwarf_formudata(&attribute, &offset);
    return offset;
}

/* gcc writes the address itself, clang its number in a table. */
static bool address_of(Dwarf_Die *die, Dwarf_Addr *address)
{
    Dwarf_Attribute location, entry;
    Dwarf_Op *operations;
    size_t count;
    if (!dwarf_attr(die, DW_AT_location, &location) ||
        dwarf_getlocation(&location, &operations, &count) || count != 1)
        return false;
    if (operations[0].atom == DW_OP_addrx)
        return dwarf_getlocation_attr(&location, &operations[0], &entry) == 0 &&
               dwarf_formaddr(&entry, address) == 0;
    *address = operations[0].number;
    return operations[0].atom == DW_OP_addr;
}

static void visit_children(const struct visit *visit, Dwarf_Die *parent, unsigned depth)
{
    Dwarf_Die child;
    Dwarf_Addr address;
    if (depth == DEPTH_MOST || dwarf_child(parent, &child))
        return;
    do {
        switch (dwarf_tag(&child)) {
        case DW_TAG_variable:
            if (address_of(&child, &address))
                visit->function(visit->context, &child, address);
            break;
        case DW_TAG_namespace:
        case DW_TAG_subprogram:
        case DW_TAG_lexical_block:
            visit_children(visit, &child, depth + 1);
            break;
        default:
            break;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
}

void debug_variables_visit(Dwarf_Die *unit,
                           void (*function)(void *context, Dwarf_Die *variable, Dwarf_Addr address),
                           void *context)
{
    struct visit visit = {function, context};
    visit_children(&visit, unit, 0);
}
