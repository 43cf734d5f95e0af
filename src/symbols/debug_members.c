/* SPDX-License-Identifier: MIT */
#include "symbols/debug_members.h"

#include "base/array.h"
#include "symbols/debug_variables.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH_MOST = 32, DIMENSIONS_MOST = 8 };

struct variable {
    uint64_t low, high; /* addresses of DWARF's */
    Dwarf_Die type;
};

struct debug_members {
    uint64_t bias;
    struct variables ARRAY_OF(struct variable) variables; /* by address */
};

/* --- the table ---------------------------------------------------------------------- */

static void add_variable(void *context, Dwarf_Die *die, Dwarf_Addr address)
{
    struct debug_members *self = context;
    struct variable variable = {.low = address};
    Dwarf_Word size;
    if (!debug_type_of(die, &variable.type) || dwarf_aggregate_size(&variable.type, &size))
        return;
    variable.high = address + size;
    array_push(&self->variables, variable);
}

static int compare_variables(const void *a, const void *b)
{
    const struct variable *x = a, *y = b;
    return (x->low > y->low) - (x->low < y->low);
}

struct debug_members *debug_members_create(Dwfl_Module *module)
{
    Dwarf_Addr bias, unused;
    if (!dwfl_module_getdwarf(module, &bias))
        return NULL;
    struct debug_members *self = NEW(struct debug_members);
    self->bias = bias;
    for (Dwarf_Die *unit = NULL; (unit = dwfl_module_nextcu(module, unit, &unused));)
        debug_variables_visit(unit, add_variable, self);
    if (self->variables.count)
        qsort(self->variables.items, self->variables.count, sizeof *self->variables.items,
              compare_variables);
    return self;
}

void debug_members_destroy(struct debug_members *self)
{
    if (!self)
        return;
    array_free(&self->variables);
    free(self);
}

static const struct variable *variable_at(const struct debug_members *self, uint64_t address)
{
    size_t low = 0, high = self->variables.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (self->variables.items[middle].low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low && address < self->variables.items[low - 1].high ? &self->variables.items[low - 1]
                                                                : NULL;
}

/* --- the path ----------------------------------------------------------------------- */

struct path {
    char *text;
    size_t size, used;
    uint64_t offset, length; /* what is looked for, from where the path has come to */
    Dwarf_Die type;
};

__attribute__((format(printf, 2, 3))) static void append(struct path *path, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(path->text + path->used, path->size - path->used, format, arguments);
    va_end(arguments);
    if (length > 0)
        path->used +=
            (size_t)length < path->size - path->used ? (size_t)length : path->size - path->used - 1;
}

/* What a program synchronises on is one thing, whatever it is made of. */
static bool is_opaque(Dwarf_Die *type)
{
    static const char *const names[] = {"pthread_mutex_t",
                                        "pthread_cond_t",
                                        "pthread_rwlock_t",
                                        "pthread_spinlock_t",
                                        "pthread_barrier_t",
                                        "pthread_once_t",
                                        "sem_t",
                                        "mtx_t",
                                        "cnd_t",
                                        "once_flag",
                                        "mutex",
                                        "recursive_mutex",
                                        "timed_mutex",
                                        "shared_mutex",
                                        "shared_timed_mutex",
                                        "condition_variable",
                                        "recursive_timed_mutex",
                                        "condition_variable_any"};
    const char *name = dwarf_diename(type);
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return name && strncmp(name, "atomic<", 7) == 0;
}

/* Through names and qualifiers to what it is; false at what is not looked into. */
static bool strip(Dwarf_Die *type)
{
    for (unsigned depth = 0; depth < DEPTH_MOST; depth++) {
        if (is_opaque(type))
            return false;
        switch (dwarf_tag(type)) {
        case DW_TAG_typedef:
        case DW_TAG_const_type:
        case DW_TAG_volatile_type:
        case DW_TAG_atomic_type:
            if (!debug_type_of(type, type))
                return false;
            break;
        case DW_TAG_structure_type:
        case DW_TAG_class_type:
        case DW_TAG_union_type:
        case DW_TAG_array_type:
            return true;
        default:
            return false;
        }
    }
    return false;
}

/* Does what begins at `start` and has `size` bytes hold all that is looked for? */
static bool holds(const struct path *path, uint64_t start, uint64_t size)
{
    uint64_t length = path->length ? path->length : 1;
    return path->offset >= start && path->offset - start < size &&
           length <= size - (path->offset - start);
}

static bool enter_member(struct path *path)
{
    Dwarf_Die member, type;
    if (dwarf_child(&path->type, &member))
        return false;
    do {
        int tag = dwarf_tag(&member);
        Dwarf_Word size, start;
        if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !debug_type_of(&member, &type) ||
            dwarf_aggregate_size(&type, &size) ||
            dwarf_hasattr(&member, DW_AT_external)) /* a static one lies elsewhere */
            continue;
        start = debug_member_offset(&member);
        if (!holds(path, start, size))
            continue;
        const char *name = dwarf_diename(&member);
        if (tag == DW_TAG_member && name)
            append(path, ".%s", name);
        path->offset -= start;
        path->type = type;
        return true;
    } while (dwarf_siblingof(&member, &member) == 0);
    return false;
}

static unsigned dimensions_of(Dwarf_Die *type, uint64_t counts[DIMENSIONS_MOST])
{
    Dwarf_Die child;
    unsigned count = 0;
    if (dwarf_child(type, &child))
        return 0;
    do {
        Dwarf_Attribute attribute;
        Dwarf_Word number = 0;
        if (dwarf_tag(&child) != DW_TAG_subrange_type || count == DIMENSIONS_MOST)
            continue;
        if (dwarf_attr(&child, DW_AT_count, &attribute))
            dwarf_formudata(&attribute, &number);
        else if (dwarf_attr(&child, DW_AT_upper_bound, &attribute) &&
                 dwarf_formudata(&attribute, &number) == 0)
            number++;
        counts[count++] = number;
    } while (dwarf_siblingof(&child, &child) == 0);
    return count;
}

static bool enter_element(struct path *path)
{
    Dwarf_Die element;
    Dwarf_Word size;
    uint64_t counts[DIMENSIONS_MOST], stride;
    unsigned dimensions = dimensions_of(&path->type, counts);
    if (!dimensions || !debug_type_of(&path->type, &element) ||
        dwarf_aggregate_size(&element, &size) || !size ||
        !holds(path, path->offset / size * size, size))
        return false;
    uint64_t index = path->offset / size;
    for (unsigned i = 0; i < dimensions; i++) {
        stride = 1;
        for (unsigned k = i + 1; k < dimensions; k++)
            stride *= counts[k] ? counts[k] : 1;
        append(path, "[%" PRIu64 "]", index / stride);
        index %= stride;
    }
    path->offset %= size;
    path->type = element;
    return true;
}

bool debug_members_path(struct debug_members *self, uint64_t address, uint64_t length, char *text,
                        size_t size)
{
    const struct variable *variable = variable_at(self, address - self->bias);
    if (!variable)
        return false;
    struct path path = {
        .text = text,
        .size = size,
        .offset = address - self->bias - variable->low,
        .length = length,
        .type = variable->type,
    };
    *text = '\0';
    for (unsigned depth = 0; depth < DEPTH_MOST && strip(&path.type); depth++)
        if (!(dwarf_tag(&path.type) == DW_TAG_array_type ? enter_element(&path)
                                                         : enter_member(&path)))
            break;
    if (path.offset)
        append(&path, "+%" PRIu64, path.offset);
    return true;
}
