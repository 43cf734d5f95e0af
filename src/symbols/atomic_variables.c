/* SPDX-License-Identifier: MIT */
#include "symbols/atomic_variables.h"

#include "base/files.h"
#include "symbols/atomic_code.h"
#include "symbols/debug_variables.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEPTH_MOST = 16, SCALARS_MOST = 1 << 16 };

struct listing {
    FILE *file;
    unsigned count;
};

static void list_type(struct listing *listing, Dwarf_Die *type, Dwarf_Addr address, unsigned depth);

static void list_scalar(struct listing *listing, Dwarf_Die *type, Dwarf_Addr address)
{
    Dwarf_Word size;
    if (dwarf_aggregate_size(type, &size) || size > 16 || listing->count++ >= SCALARS_MOST)
        return;
    fprintf(listing->file, "%" PRIx64 " %" PRIx64 "\n", address, size);
}

/* The C++ library's own types have no qualifier. */
static bool is_library_atomic(Dwarf_Die *type)
{
    const char *name = dwarf_diename(type);
    return name && (strncmp(name, "atomic<", 7) == 0 || strcmp(name, "atomic_flag") == 0 ||
                    strncmp(name, "__atomic_base<", 14) == 0);
}

static void list_members(struct listing *listing, Dwarf_Die *type, Dwarf_Addr address,
                         unsigned depth)
{
    Dwarf_Die member, of;
    if (dwarf_child(type, &member))
        return;
    do {
        int tag = dwarf_tag(&member);
        if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !debug_type_of(&member, &of))
            continue;
        list_type(listing, &of, address + debug_member_offset(&member), depth);
    } while (dwarf_siblingof(&member, &member) == 0);
}

static void list_elements(struct listing *listing, Dwarf_Die *type, Dwarf_Addr address,
                          unsigned depth)
{
    Dwarf_Die element;
    Dwarf_Word whole, one;
    if (!debug_type_of(type, &element) || dwarf_aggregate_size(type, &whole) ||
        dwarf_aggregate_size(&element, &one) || !one)
        return;
    unsigned before = listing->count;
    for (Dwarf_Word at = 0; at + one <= whole && listing->count < SCALARS_MOST; at += one) {
        list_type(listing, &element, address + at, depth);
        if (listing->count == before)
            return; /* nothing atomic in the first, nothing in the others */
    }
}

static void list_type(struct listing *listing, Dwarf_Die *type, Dwarf_Addr address, unsigned depth)
{
    Dwarf_Die next;
    if (depth == DEPTH_MOST)
        return;
    switch (dwarf_tag(type)) {
    case DW_TAG_atomic_type:
        list_scalar(listing, type, address);
        break;
    case DW_TAG_typedef:
    case DW_TAG_const_type:
    case DW_TAG_volatile_type:
        if (debug_type_of(type, &next))
            list_type(listing, &next, address, depth + 1);
        break;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
        if (is_library_atomic(type))
            list_scalar(listing, type, address);
        else
            list_members(listing, type, address, depth + 1);
        break;
    case DW_TAG_array_type:
        list_elements(listing, type, address, depth + 1);
        break;
    default:
        break;
    }
}

static void list_variable(void *context, Dwarf_Die *die, Dwarf_Addr address)
{
    Dwarf_Die type;
    if (debug_type_of(die, &type))
        list_type(context, &type, address, 0);
}

void atomic_variables_write(const char *program, const char *path)
{
    int input = open(program, O_RDONLY | O_CLOEXEC);
    Dwarf *dwarf = input >= 0 ? dwarf_begin(input, DWARF_C_READ) : NULL;
    struct listing listing = {.file = dwarf ? files_write(path) : NULL};
    size_t header_size;
    char resolved[PATH_MAX];
    if (listing.file)
        fprintf(listing.file, "%s\n", realpath(program, resolved) ? resolved : "-");
    for (Dwarf_Off at = 0, next;
         listing.file && dwarf_nextcu(dwarf, at, &next, &header_size, NULL, NULL, NULL) == 0;
         at = next) {
        Dwarf_Die unit;
        if (dwarf_offdie(dwarf, at + header_size, &unit))
            debug_variables_visit(&unit, list_variable, &listing);
    }
    if (listing.file) {
        listing.count += atomic_code_write(dwarf, listing.file);
        fclose(listing.file);
    }
    if (listing.file && !listing.count)
        unlink(path);
    dwarf_end(dwarf);
    if (input >= 0)
        close(input);
}
