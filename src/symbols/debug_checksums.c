/* SPDX-License-Identifier: MIT */
#include "symbols/debug_checksums.h"

#include <dwarf.h>
#include <gelf.h>
#include <string.h>

/* What is left of a part of the section; `at` is NULL once something made no sense. */
struct reading {
    const uint8_t *at, *end;
    bool wide; /* 64-bit DWARF */
};

static const uint8_t *take(struct reading *self, uint64_t count)
{
    const uint8_t *taken = self->at;
    if (!taken || count > (uint64_t)(self->end - taken))
        return self->at = NULL;
    self->at += count;
    return taken;
}

static uint64_t number(struct reading *self, unsigned bytes)
{
    const uint8_t *taken = take(self, bytes);
    uint64_t value = 0;
    for (unsigned i = 0; taken && i < bytes; i++)
        value |= (uint64_t)taken[i] << 8 * i;
    return value;
}

static uint64_t leb(struct reading *self)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint8_t *byte = take(self, 1);
        if (!byte)
            return 0;
        value |= (uint64_t)(*byte & 0x7f) << shift;
        if (!(*byte & 0x80))
            return value;
    }
    self->at = NULL;
    return 0;
}

static void skip_text(struct reading *self)
{
    const uint8_t *end = self->at ? memchr(self->at, 0, (size_t)(self->end - self->at)) : NULL;
    self->at = end ? end + 1 : NULL;
}

static void skip(struct reading *self, uint64_t form)
{
    switch (form) {
    case DW_FORM_string:
        skip_text(self);
        break;
    case DW_FORM_line_strp:
    case DW_FORM_strp:
        take(self, self->wide ? 8 : 4);
        break;
    case DW_FORM_data1:
    case DW_FORM_strx1:
        take(self, 1);
        break;
    case DW_FORM_data2:
    case DW_FORM_strx2:
        take(self, 2);
        break;
    case DW_FORM_strx3:
        take(self, 3);
        break;
    case DW_FORM_data4:
    case DW_FORM_strx4:
        take(self, 4);
        break;
    case DW_FORM_data8:
        take(self, 8);
        break;
    case DW_FORM_data16:
        take(self, 16);
        break;
    case DW_FORM_udata:
    case DW_FORM_strx:
        leb(self);
        break;
    case DW_FORM_block:
        take(self, leb(self));
        break;
    default:
        self->at = NULL; /* nobody knows where it ends */
    }
}

/* A list of directories or files: what an entry consists of, then the entries. */
static bool entries_have(struct reading *self, const uint8_t *sum)
{
    enum { MOST = 16 };
    uint64_t contents[MOST], forms[MOST];
    uint64_t fields = number(self, 1);
    if (fields > MOST)
        self->at = NULL;
    for (uint64_t i = 0; self->at && i < fields; i++) {
        contents[i] = leb(self);
        forms[i] = leb(self);
    }
    uint64_t count = leb(self);
    for (uint64_t i = 0; self->at && fields && i < count; i++)
        for (uint64_t k = 0; self->at && k < fields; k++) {
            const uint8_t *value = self->at;
            skip(self, forms[k]);
            if (self->at && contents[k] == DW_LNCT_MD5 && forms[k] == DW_FORM_data16 &&
                memcmp(value, sum, MD5_BYTES) == 0)
                return true;
        }
    return false;
}

static bool unit_has(struct reading unit, const uint8_t *sum)
{
    enum { VERSION = 5, FIXED = 5 }; /* five bytes between the length and the count of opcodes */
    if (number(&unit, 2) != VERSION)
        return false;
    take(&unit, 2);
    take(&unit, unit.wide ? 8 : 4);
    take(&unit, FIXED);
    uint64_t opcodes = number(&unit, 1);
    take(&unit, opcodes ? opcodes - 1 : 0);
    return entries_have(&unit, sum) || entries_have(&unit, sum);
}

bool debug_checksums_find(const uint8_t *bytes, size_t size, const uint8_t sum[MD5_BYTES])
{
    struct reading all = {.at = bytes, .end = bytes + size};
    while (all.at && all.at < all.end) {
        uint64_t length = number(&all, 4);
        all.wide = length == UINT32_MAX;
        if (all.wide)
            length = number(&all, 8);
        const uint8_t *start = take(&all, length);
        struct reading unit = {.at = start, .end = start ? start + length : NULL, .wide = all.wide};
        if (start && unit_has(unit, sum))
            return true;
    }
    return false;
}

bool debug_checksums_have(Dwfl_Module *module, const uint8_t sum[MD5_BYTES])
{
    Dwarf_Addr bias;
    Dwarf *dwarf = dwfl_module_getdwarf(module, &bias);
    Elf *elf = dwarf ? dwarf_getelf(dwarf) : NULL;
    size_t names;
    if (!elf || elf_getshdrstrndx(elf, &names))
        return false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        const char *name =
            gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        /* One that is compressed is not unpacked for this. */
        if (!name || strcmp(name, ".debug_line") != 0 || header.sh_flags & SHF_COMPRESSED)
            continue;
        const Elf_Data *data = elf_rawdata(section, NULL);
        return data && data->d_buf && debug_checksums_find(data->d_buf, data->d_size, sum);
    }
    return false;
}
