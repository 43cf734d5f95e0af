/* SPDX-License-Identifier: MIT */
#include "symbols/build_id.h"

#include "base/files.h"

#include <elfutils/libdwelf.h>
#include <stdio.h>
#include <unistd.h>

bool build_id_read(const char *path, char text[BUILD_ID_SIZE])
{
    const void *bits;
    int file = files_open_linked(path);
    if (file < 0)
        return false;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(file, ELF_C_READ, NULL);
    bool is_elf = elf && elf_kind(elf) == ELF_K_ELF;
    ssize_t size = is_elf ? dwelf_elf_gnu_build_id(elf, &bits) : 0;
    snprintf(text, BUILD_ID_SIZE, "-");
    for (ssize_t i = 0; i < size && i < 64; i++)
        snprintf(text + 2 * i, 3, "%02x", ((const unsigned char *)bits)[i]);
    elf_end(elf);
    close(file);
    return is_elf;
}
