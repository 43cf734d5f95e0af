/* SPDX-License-Identifier: MIT */
#include "symbols/debug_places.h"

#include "base/array.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

enum { DEEPEST = 64 }; /* nested blocks inside a function */

struct function {
    uint64_t low, high;
    Dwarf_Die die;
};

struct functions ARRAY_OF(struct function);

struct unit {
    Dwarf_Die die;
    struct functions functions; /* by address, once `looked` */
    bool looked;
};

struct unit_range {
    uint64_t low, high;
    uint32_t unit;
};

struct debug_places {
    uint64_t bias; /* between the run's addresses and DWARF's */
    struct units ARRAY_OF(struct unit) units;
    struct unit_ranges ARRAY_OF(struct unit_range) ranges; /* by address */
};

/* --- the tables --------------------------------------------------------------------- */

/* Both kinds of range begin with it. */
static int compare_low(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void add_unit(struct debug_places *self, const Dwarf_Die *die)
{
    Dwarf_Addr base, low, high;
    uint32_t number = (uint32_t)self->units.count;
    struct unit unit = {.die = *die};
    array_push(&self->units, unit);
    for (ptrdiff_t at = 0; (at = dwarf_ranges(&unit.die, at, &base, &low, &high)) > 0;)
        if (low < high)
            array_push(&self->ranges, ((struct unit_range){low, high, number}));
}

struct debug_places *debug_places_create(Dwfl_Module *module)
{
    Dwarf_Addr bias, unused;
    if (!dwfl_module_getdwarf(module, &bias))
        return NULL;
    struct debug_places *self = NEW(struct debug_places);
    self->bias = bias;
    for (Dwarf_Die *die = NULL; (die = dwfl_module_nextcu(module, die, &unused));)
        add_unit(self, die);
    if (self->ranges.count)
        qsort(self->ranges.items, self->ranges.count, sizeof *self->ranges.items, compare_low);
    return self;
}

void debug_places_destroy(struct debug_places *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < self->units.count; i++)
        array_free(&self->units.items[i].functions);
    array_free(&self->units);
    array_free(&self->ranges);
    free(self);
}

static void add_function(struct functions *functions, Dwarf_Die *die)
{
    Dwarf_Addr base, low, high;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &low, &high)) > 0;)
        if (low < high)
            array_push(functions, ((struct function){low, high, *die}));
}

/* Functions stand below the unit, and below what can hold a function in C++. */
static void collect_functions(struct functions *functions, Dwarf_Die *parent, unsigned depth)
{
    Dwarf_Die die;
    if (depth > DEEPEST || dwarf_child(parent, &die) != 0)
        return;
    do {
        switch (dwarf_tag(&die)) {
        case DW_TAG_subprogram:
            add_function(functions, &die);
            break;
        case DW_TAG_namespace:
        case DW_TAG_class_type:
        case DW_TAG_structure_type:
            collect_functions(functions, &die, depth + 1);
            break;
        default:
            break;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
}

static struct unit *unit_at(struct debug_places *self, uint64_t address)
{
    size_t low = 0, high = self->ranges.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (self->ranges.items[middle].low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || address >= self->ranges.items[low - 1].high)
        return NULL;
    return &self->units.items[self->ranges.items[low - 1].unit];
}

static Dwarf_Die *function_at(struct unit *unit, uint64_t address)
{
    struct functions *functions = &unit->functions;
    if (!unit->looked) {
        unit->looked = true;
        collect_functions(functions, &unit->die, 0);
        if (functions->count)
            qsort(functions->items, functions->count, sizeof *functions->items, compare_low);
    }
    size_t low = 0, high = functions->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (functions->items[middle].low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low && address < functions->items[low - 1].high ? &functions->items[low - 1].die : NULL;
}

/* --- one address ---------------------------------------------------------------------- */

static const char *name_of(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
    return name ? name : dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attribute));
}

static int number_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    return dwarf_formudata(dwarf_attr(die, name, &attribute), &value) == 0 ? (int)value : 0;
}

/* The inlined functions around `address` inside `function`, outermost first. */
static size_t find_inlined(Dwarf_Die *function, uint64_t address, Dwarf_Die inlined[DEEPEST])
{
    Dwarf_Die parent = *function, die;
    size_t count = 0;
    for (unsigned depth = 0; depth < DEEPEST && dwarf_child(&parent, &die) == 0; depth++) {
        bool found = false;
        do {
            int tag = dwarf_tag(&die);
            found = (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
                     tag == DW_TAG_try_block || tag == DW_TAG_catch_block) &&
                    dwarf_haspc(&die, address) > 0;
            if (found && tag == DW_TAG_inlined_subroutine)
                inlined[count++] = die;
        } while (!found && dwarf_siblingof(&die, &die) == 0);
        if (!found)
            break;
        parent = die;
    }
    return count;
}

/* Where an inlined function was called. */
static struct debug_frame call_of(struct unit *unit, Dwarf_Die *inlined)
{
    Dwarf_Files *files;
    size_t count, number = (size_t)number_of(inlined, DW_AT_call_file);
    struct debug_frame frame = {.line = number_of(inlined, DW_AT_call_line),
                                .column = number_of(inlined, DW_AT_call_column)};
    if (dwarf_getsrcfiles(&unit->die, &files, &count) == 0 && number < count)
        frame.file = dwarf_filesrc(files, number, NULL, NULL);
    return frame;
}

static bool line_of(struct unit *unit, uint64_t address, struct debug_frame *frame)
{
    Dwarf_Line *line = dwarf_getsrc_die(&unit->die, address);
    frame->file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
    if (!frame->file || dwarf_lineno(line, &frame->line) || !frame->line)
        return false;
    dwarf_linecol(line, &frame->column);
    return true;
}

size_t debug_places_find(struct debug_places *self, uint64_t pc, struct debug_frame *frames,
                         size_t most)
{
    uint64_t address = pc - self->bias;
    struct unit *unit = unit_at(self, address);
    struct debug_frame next = {0};
    Dwarf_Attribute attribute;
    if (!unit || !most || !line_of(unit, address, &next))
        return 0;
    const char *directory = dwarf_formstring(dwarf_attr(&unit->die, DW_AT_comp_dir, &attribute));
    Dwarf_Die *function = function_at(unit, address);
    Dwarf_Die inlined[DEEPEST];
    size_t depth = function ? find_inlined(function, address, inlined) : 0, count = 0;
    while (next.file && next.line && count < most) {
        next.directory = directory;
        next.compiled = dwarf_diename(&unit->die);
        frames[count] = next;
        if (!depth) {
            frames[count++].function = function ? name_of(function) : NULL;
            break;
        }
        frames[count++].function = name_of(&inlined[--depth]);
        next = call_of(unit, &inlined[depth]);
    }
    return count;
}

bool debug_place_is_library(const char *place)
{
    static const char *const folders[] = {"/usr/include/", "/usr/lib/", "/usr/local/include/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strncmp(place, folders[i], strlen(folders[i])) == 0)
            return true;
    return place[0] == '/' && strstr(place, "/include/c++/"); /* however clang went there */
}
