/* SPDX-License-Identifier: MIT */
#include "symbols/instrumented.h"

#include "base/files.h"

#include <gelf.h>
#include <string.h>
#include <unistd.h>

/* Every unit that the compilers instrument calls this one, which is our library's. */
static bool calls_recorder(Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
    for (size_t i = 0; i < count; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx != SHN_UNDEF)
            continue;
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (name && strcmp(name, "__tsan_init") == 0)
            return true;
    }
    return false;
}

bool instrumented_file(const char *path)
{
    bool found = false;
    int file = files_open_linked(path);
    if (file < 0)
        return false;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(file, ELF_C_READ_MMAP, NULL);
    for (Elf_Scn *section = NULL; elf && !found && (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM)
            found = calls_recorder(elf, section, &header);
    }
    elf_end(elf);
    close(file);
    return found;
}
