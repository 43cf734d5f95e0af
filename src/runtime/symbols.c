/* SPDX-License-Identifier: MIT */
#include "runtime/symbols.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an object's dynamic section says of its symbols. */
struct table {
    const ElfW(Sym) * symbols;
    const char *strings;
    const uint16_t *versions; /* NULL: none */
    const uint32_t *gnu_hash; /* either of the two hash tables, or both */
    const uint32_t *old_hash;
};

enum { VERSION_HIDDEN = 0x8000 };

static bool same_text(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

/* The linker has made the addresses in a dynamic section absolute, but not in a section that it
 * cannot write to (the kernel's own object). */
static const void *absolute(ElfW(Addr) bias, ElfW(Addr) address)
{
    return (const void *)(address < bias ? bias + address : address);
}

static bool read_table(struct table *table, const struct dl_phdr_info *info)
{
    const ElfW(Dyn) *entry = NULL;
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            entry = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    *table = (struct table){0};
    for (; entry && entry->d_tag != DT_NULL; entry++) {
        const void *at = absolute(info->dlpi_addr, entry->d_un.d_ptr);
        switch (entry->d_tag) {
        case DT_SYMTAB:
            table->symbols = at;
            break;
        case DT_STRTAB:
            table->strings = at;
            break;
        case DT_VERSYM:
            table->versions = at;
            break;
        case DT_GNU_HASH:
            table->gnu_hash = at;
            break;
        case DT_HASH:
            table->old_hash = at;
            break;
        }
    }
    return table->symbols && table->strings && (table->gnu_hash || table->old_hash);
}

static bool defines(const struct table *table, uint32_t index, const char *name)
{
    const ElfW(Sym) *symbol = &table->symbols[index];
    unsigned type = ELF64_ST_TYPE(symbol->st_info), binding = ELF64_ST_BIND(symbol->st_info);
    return symbol->st_shndx != SHN_UNDEF && symbol->st_value && binding != STB_LOCAL &&
           (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_OBJECT ||
            type == STT_NOTYPE) &&
           same_text(table->strings + symbol->st_name, name);
}

/* The better of two: a default version before one that is kept for old programs. 0: none. */
static uint32_t better(const struct table *table, uint32_t best, uint32_t found)
{
    bool hidden = table->versions && table->versions[found] & VERSION_HIDDEN;
    return best && hidden ? best : found;
}

static uint32_t find_by_gnu_hash(const struct table *table, const char *name)
{
    uint32_t hash = 5381, best = 0;
    for (const char *at = name; *at; at++)
        hash = hash * 33 + (uint8_t)*at;
    const uint32_t *header = table->gnu_hash;
    uint32_t buckets = header[0], first = header[1], words = header[2], shift = header[3];
    const uint64_t *bloom = (const void *)(header + 4);
    const uint32_t *bucket = (const void *)(bloom + words), *chain = bucket + buckets;
    uint64_t wanted = UINT64_C(1) << hash % 64 | UINT64_C(1) << (hash >> shift) % 64;
    if (!buckets || (bloom[hash / 64 % words] & wanted) != wanted)
        return 0;
    uint32_t index = bucket[hash % buckets];
    if (index < first)
        return 0;
    for (;; index++) {
        uint32_t other = chain[index - first];
        if ((other | 1) == (hash | 1) && defines(table, index, name))
            best = better(table, best, index);
        if (other & 1)
            return best;
    }
}

static uint32_t find_by_old_hash(const struct table *table, const char *name)
{
    uint32_t hash = 0, best = 0;
    for (const char *at = name; *at; at++) {
        hash = (hash << 4) + (uint8_t)*at;
        hash = (hash ^ (hash >> 24 & 0xf0)) & 0xfffffff;
    }
    uint32_t buckets = table->old_hash[0];
    const uint32_t *bucket = table->old_hash + 2, *chain = bucket + buckets;
    for (uint32_t i = buckets ? bucket[hash % buckets] : 0; i; i = chain[i])
        if (defines(table, i, name))
            best = better(table, best, i);
    return best;
}

struct search {
    const char *name;
    void *before, *behind; /* our own object */
    bool passed;
};

static bool is_own(const struct dl_phdr_info *info)
{
    uintptr_t own = (uintptr_t)&symbols_next;
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD &&
            own - (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr) < info->dlpi_phdr[i].p_memsz)
            return true;
    return false;
}

/* Some functions have a choice of code, made by one that returns it. */
static void *address_of(const struct dl_phdr_info *info, const ElfW(Sym) * symbol)
{
    void *address = (void *)(info->dlpi_addr + symbol->st_value);
    return ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC ? ((void *(*)(void))address)() : address;
}

static int look(struct dl_phdr_info *info, size_t size, void *argument)
{
    (void)size;
    struct search *search = argument;
    struct table table;
    if (is_own(info)) {
        search->passed = true;
        return 0;
    }
    if ((!search->passed && search->before) || !read_table(&table, info))
        return 0;
    uint32_t index = table.gnu_hash ? find_by_gnu_hash(&table, search->name)
                                    : find_by_old_hash(&table, search->name);
    if (!index)
        return 0;
    void *found = address_of(info, &table.symbols[index]);
    *(search->passed ? &search->behind : &search->before) = found;
    return search->passed;
}

void *symbols_next(const char *name)
{
    struct search search = {.name = name};
    dl_iterate_phdr(look, &search);
    return search.behind ? search.behind : search.before;
}
