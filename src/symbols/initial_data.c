/* SPDX-License-Identifier: MIT */
#include "symbols/initial_data.h"

#include "base/array.h"

#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

/* Memory of variables: what the file has of it, the rest is zeros. */
struct segment {
    uint64_t address, size;
    const uint8_t *bytes;
    size_t in_file;
};

struct bytes {
    uint64_t low, high;
};

struct initial_data {
    int file;
    Elf *elf;
    struct segments ARRAY_OF(struct segment) segments;
    struct relocated ARRAY_OF(struct bytes) relocated; /* by address */
};

static void read_segments(struct initial_data *self)
{
    size_t count = 0;
    if (elf_getphdrnum(self->elf, &count))
        return;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(self->elf, (int)i, &header) || header.p_type != PT_LOAD ||
            !(header.p_flags & PF_W))
            continue;
        Elf_Data *data = elf_getdata_rawchunk(self->elf, (int64_t)header.p_offset,
                                              (size_t)header.p_filesz, ELF_T_BYTE);
        struct segment segment = {header.p_vaddr, header.p_memsz, data ? data->d_buf : NULL,
                                  data ? data->d_size : 0};
        if (data || !header.p_filesz)
            array_push(&self->segments, segment);
    }
}

static int by_address(const void *a, const void *b)
{
    const struct bytes *left = a, *right = b;
    return left->low < right->low ? -1 : left->low > right->low;
}

/* A relocation fills a word; a copied variable may be longer. */
static uint64_t extent_of(Elf_Data *symbols, const GElf_Rela *entry)
{
    GElf_Sym symbol;
    bool known = symbols && gelf_getsym(symbols, (int)GELF_R_SYM(entry->r_info), &symbol);
    return known && symbol.st_size > 8 ? symbol.st_size : 8;
}

static void add_relocated(struct initial_data *self, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Scn *names = elf_getscn(self->elf, header->sh_link);
    Elf_Data *data = elf_getdata(section, NULL), *symbols = names ? elf_getdata(names, NULL) : NULL;
    size_t count = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
    for (size_t i = 0; i < count; i++) {
        GElf_Rela entry;
        if (!gelf_getrela(data, (int)i, &entry))
            continue;
        struct bytes bytes = {entry.r_offset, entry.r_offset + extent_of(symbols, &entry)};
        array_push(&self->relocated, bytes);
    }
}

static void read_relocations(struct initial_data *self)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(self->elf, section));) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA)
            add_relocated(self, section, &header);
    }
    if (self->relocated.count)
        qsort(self->relocated.items, self->relocated.count, sizeof *self->relocated.items,
              by_address);
}

struct initial_data *initial_data_open(const char *path)
{
    elf_version(EV_CURRENT);
    struct initial_data *self = NEW(struct initial_data);
    self->file = open(path, O_RDONLY | O_CLOEXEC);
    if (self->file >= 0)
        self->elf = elf_begin(self->file, ELF_C_READ_MMAP, NULL);
    if (!self->elf || elf_kind(self->elf) != ELF_K_ELF) {
        initial_data_close(self);
        return NULL;
    }
    read_segments(self);
    read_relocations(self);
    return self;
}

void initial_data_close(struct initial_data *self)
{
    if (!self)
        return;
    array_free(&self->segments);
    array_free(&self->relocated);
    if (self->elf)
        elf_end(self->elf);
    if (self->file >= 0)
        close(self->file);
    free(self);
}

/* Variables that are copied are few, and a word's relocation begins at most 7 bytes before. */
static bool is_relocated(const struct initial_data *self, uint64_t low, uint64_t high)
{
    size_t first = 0, end = self->relocated.count;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (self->relocated.items[middle].low < high)
            first = middle + 1;
        else
            end = middle;
    }
    while (first-- > 0)
        if (self->relocated.items[first].high > low)
            return true;
        else if (low - self->relocated.items[first].low > (UINT64_C(1) << 20))
            break;
    return false;
}

bool initial_data_read(const struct initial_data *self, uint64_t address, size_t length,
                       uint64_t *value)
{
    *value = 0;
    if (!length || length > sizeof *value || is_relocated(self, address, address + length))
        return false;
    for (size_t i = 0; i < self->segments.count; i++) {
        const struct segment *segment = &self->segments.items[i];
        uint64_t offset = address - segment->address;
        if (address < segment->address || segment->size < length || offset > segment->size - length)
            continue;
        for (size_t k = 0; k < length && offset + k < segment->in_file; k++)
            *value |= (uint64_t)segment->bytes[offset + k] << (8 * k);
        return true;
    }
    return false;
}
