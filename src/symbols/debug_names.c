/* SPDX-License-Identifier: MIT */
#include "symbols/debug_names.h"

#include "base/array.h"

#include <gelf.h>

/* Symbols inside symbols are rare, and near. */
enum { LOOK_BACK = 16 };

struct symbol {
    uint64_t address, size; /* size 0: up to the next one */
    const char *name;
    unsigned char type, rank; /* rank: global before weak before local */
};

struct debug_names {
    struct symbol_list ARRAY_OF(struct symbol) symbols; /* by address, the better name last */
};

static int compare_symbols(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (!x->size != !y->size)
        return x->size ? 1 : -1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return strcmp(y->name, x->name); /* of equals the first in the alphabet */
}

static unsigned char rank_of(const GElf_Sym *symbol)
{
    unsigned binding = GELF_ST_BIND(symbol->st_info);
    return binding == STB_GLOBAL ? 2 : binding == STB_WEAK ? 1 : 0;
}

struct debug_names *debug_names_create(Dwfl_Module *module)
{
    struct debug_names *self = NEW(struct debug_names);
    int count = dwfl_module_getsymtab(module);
    for (int i = 1; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *name = dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL, NULL);
        unsigned char type = GELF_ST_TYPE(symbol.st_info);
        if (!name || !*name || symbol.st_shndx == SHN_UNDEF ||
            (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_OBJECT && type != STT_NOTYPE))
            continue;
        array_push(&self->symbols,
                   ((struct symbol){address, symbol.st_size, name, type, rank_of(&symbol)}));
    }
    if (self->symbols.count)
        qsort(self->symbols.items, self->symbols.count, sizeof *self->symbols.items,
              compare_symbols);
    return self;
}

void debug_names_destroy(struct debug_names *self)
{
    if (!self)
        return;
    array_free(&self->symbols);
    free(self);
}

static const struct symbol *find(const struct debug_names *self, uint64_t address, bool variable)
{
    size_t low = 0, high = self->symbols.count;
    bool first = true;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (self->symbols.items[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (unsigned i = 0; low-- > 0 && i < LOOK_BACK; i++) {
        const struct symbol *symbol = &self->symbols.items[low];
        if (variable ? symbol->type != STT_OBJECT : symbol->type == STT_OBJECT)
            continue;
        if (symbol->size ? address - symbol->address < symbol->size : first && !variable)
            return symbol;
        first = false;
    }
    return NULL;
}

const char *debug_names_function(const struct debug_names *self, uint64_t address, uint64_t *offset)
{
    const struct symbol *symbol = find(self, address, false);
    if (!symbol)
        return NULL;
    *offset = address - symbol->address;
    return symbol->name;
}

bool debug_names_extent(const struct debug_names *self, uint64_t address, uint64_t *start,
                        uint64_t *end)
{
    const struct symbol *symbol = find(self, address, false);
    if (!symbol || !symbol->size)
        return false;
    *start = symbol->address;
    *end = symbol->address + symbol->size;
    return true;
}

const char *debug_names_variable(const struct debug_names *self, uint64_t address, uint64_t *offset)
{
    const struct symbol *symbol = find(self, address, true);
    if (!symbol)
        return NULL;
    *offset = address - symbol->address;
    return symbol->name;
}
