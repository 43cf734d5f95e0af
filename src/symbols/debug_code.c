/* SPDX-License-Identifier: MIT */
#include "symbols/debug_code.h"

#include <gelf.h>
#include <stdbool.h>
#include <string.h>

struct code {
    const unsigned char *bytes; /* from `start` on */
    uint64_t start, size;
    GElf_Half machine;
};

/* Bytes of an ELF file at an address of its own, up to the end of their section. */
static bool section_bytes(Elf *elf, uint64_t address, struct code *code)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS ||
            !(header.sh_flags & SHF_EXECINSTR) || address - header.sh_addr >= header.sh_size)
            continue;
        const Elf_Data *data = elf_rawdata(section, NULL);
        uint64_t skipped = address - header.sh_addr;
        if (!data || !data->d_buf || data->d_size <= skipped)
            return false;
        code->bytes = (const unsigned char *)data->d_buf + skipped;
        code->size = data->d_size - skipped;
        return true;
    }
    return false;
}

static bool find_code(Dwfl_Module *module, uint64_t start, uint64_t end, struct code *code)
{
    GElf_Addr bias;
    GElf_Ehdr header;
    Elf *elf = dwfl_module_getelf(module, &bias);
    *code = (struct code){.start = start};
    if (!elf || !gelf_getehdr(elf, &header) || !section_bytes(elf, start - bias, code))
        return false;
    code->machine = header.e_machine;
    if (code->size > end - start)
        code->size = end - start;
    return true;
}

static int32_t word_at(const unsigned char *bytes)
{
    int32_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/* Where the call goes that ends `at` bytes into the code; the slot it goes through, if it is an
 * indirect call by a table. 0: no such call ends there. */
static uint64_t callee_before(const struct code *code, uint64_t at)
{
    if (code->machine == EM_AARCH64) {
        uint32_t word = at >= 4 && at % 4 == 0 ? (uint32_t)word_at(code->bytes + at - 4) : 0;
        int64_t words = (int64_t)((int32_t)(word << 6) >> 6);
        return word >> 26 == 0x25 ? code->start + at - 4 + (uint64_t)(4 * words) : 0;
    }
    if (code->machine != EM_X86_64)
        return 0;
    bool direct = at >= 5 && code->bytes[at - 5] == 0xe8;
    bool by_table = at >= 6 && code->bytes[at - 6] == 0xff && code->bytes[at - 5] == 0x15;
    return direct || by_table ? code->start + at + (uint64_t)(int64_t)word_at(code->bytes + at - 4)
                              : 0;
}

/* Instructions are not decoded: bytes in the middle of one that look like a call of the very same
 * callee are as good as impossible. */
size_t debug_code_alike(Dwfl_Module *module, uint64_t start, uint64_t end, uint64_t after,
                        uint64_t *returns, size_t most)
{
    struct code code;
    if (after <= start || after > end || !find_code(module, start, end, &code) ||
        after - start > code.size)
        return 0;
    uint64_t callee = callee_before(&code, after - start);
    size_t count = 0;
    for (uint64_t at = 1; callee && at <= code.size && count < most; at++)
        if (callee_before(&code, at) == callee)
            returns[count++] = start + at;
    return count;
}
