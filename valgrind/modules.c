/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose code it is, told from the file that is mapped there; and the load map of
 * the trace (format: src/runtime/modules.c), with what the file's own headers say. */
#include "tool.h"
#include "runtime/directory.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"

#include <elf.h>

enum { MODULES_KNOWN = 512 };

struct module {
    Addr low, high, bias;
    const uint8_t *id; /* build-id, or NULL */
    uint32_t id_size;
    bool recorded, noted;
};

struct constants tool_constants;

static struct module modules[MODULES_KNOWN];
static uint32_t module_count;

/* Objects whose code is not the program's. */
static const char *const foreign[] = {
    "libc.so",       "libc-2.",       "ld-linux", "ld-2.",   "libpthread", "libm.so",
    "libm-2.",       "libdl",         "librt",    "libgcc",  "libstdc++",  "libpreplay",
    "vgpreload_pre", "vgpreload_cor", "libgomp",  "libtsan",
};

static bool is_foreign(const HChar *path)
{
    const HChar *slash = VG_(strrchr)(path, '/');
    const HChar *name = slash ? slash + 1 : path;
    for (unsigned i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (VG_(strncmp)(name, foreign[i], VG_(strlen)(foreign[i])) == 0)
            return true;
    return false;
}

/* The start of the mapping that holds the file's ELF header, below (or at) `code`. */
static Addr find_header(const NSegment *code)
{
    Addr at = code->start;
    const NSegment *segment = code;
    while (segment && segment->kind == SkFileC && segment->ino == code->ino &&
           segment->dev == code->dev) {
        at = segment->start;
        if (segment->offset == 0)
            break;
        segment = at ? VG_(am_find_nsegment)(at - 1) : NULL;
    }
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)at;
    segment = VG_(am_find_nsegment)(at);
    bool whole = segment && segment->hasR && segment->offset == 0 &&
                 VG_(memcmp)(header->e_ident, ELFMAG, SELFMAG) == 0;
    return whole ? at : 0;
}

static void find_id(struct module *module, const uint8_t *at, uint64_t size)
{
    const uint8_t *end = at + size;
    while (at + sizeof(Elf64_Nhdr) <= end) {
        const Elf64_Nhdr *note = (const Elf64_Nhdr *)(const void *)at;
        const uint8_t *name = at + sizeof *note;
        const uint8_t *content = name + ((note->n_namesz + 3u) & ~3u);
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && name[0] == 'G') {
            module->id = content;
            module->id_size = note->n_descsz < 64 ? note->n_descsz : 64;
            return;
        }
        at = content + ((note->n_descsz + 3u) & ~3u);
    }
}

static void read_headers(struct module *module, Addr start)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)start;
    const Elf64_Phdr *parts = (const Elf64_Phdr *)(start + header->e_phoff);
    Addr low = ~(Addr)0, high = 0;
    for (unsigned i = 0; i < header->e_phnum; i++) {
        if (parts[i].p_type != PT_LOAD)
            continue;
        Addr begin = parts[i].p_vaddr & ~(Addr)4095, end = parts[i].p_vaddr + parts[i].p_memsz;
        low = begin < low ? begin : low;
        high = end > high ? end : high;
    }
    if (low > high)
        return;
    module->bias = start - low;
    module->low = start;
    module->high = module->bias + high;
    for (unsigned i = 0; i < header->e_phnum && !module->id; i++)
        if (parts[i].p_type == PT_NOTE)
            find_id(module, (const uint8_t *)(module->bias + parts[i].p_vaddr), parts[i].p_memsz);
}

/* The program's code and constants end where its first writable part begins. */
static void find_constants(const struct module *module)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)module->low;
    const Elf64_Phdr *parts = (const Elf64_Phdr *)(module->low + header->e_phoff);
    Addr end = module->high;
    for (unsigned i = 0; i < header->e_phnum; i++) {
        Addr start = (module->bias + parts[i].p_vaddr) & ~(Addr)4095;
        if (parts[i].p_type == PT_LOAD && parts[i].p_flags & PF_W && start < end)
            end = start;
    }
    tool_constants.low = module->low;
    tool_constants.high = end;
}

void constants_protected(Addr start, SizeT length, Bool read, Bool write, Bool execute)
{
    (void)read, (void)execute;
    if (write && start < tool_constants.high && start + length > tool_constants.low)
        tool_constants.high = tool_constants.low;
}

static struct module *find_module(Addr code)
{
    for (uint32_t i = module_count; i-- > 0;)
        if (code >= modules[i].low && code < modules[i].high)
            return &modules[i];
    const NSegment *segment = VG_(am_find_nsegment)(code);
    if (!segment || module_count == MODULES_KNOWN)
        return NULL;
    const HChar *path = VG_(am_get_filename)(segment);
    struct module *module = &modules[module_count];
    *module = (struct module){.low = segment->start, .high = segment->end + 1};
    module->recorded = segment->kind != SkFileC || !path || !is_foreign(path);
    Addr header = segment->kind == SkFileC && path ? find_header(segment) : 0;
    if (header)
        read_headers(module, header);
    if (header && module->recorded && !tool_constants.high)
        find_constants(module);
    if (!header)
        module->noted = true; /* generated code: nothing to say about it */
    module_count++;
    return module;
}

bool module_is_recorded(Addr code)
{
    const struct module *module = find_module(code);
    return module && module->recorded;
}

/* --- the load map ---------------------------------------------------------------- */

static char *put_hex(char *at, uint64_t number)
{
    unsigned shift = 60;
    while (shift && !(number >> shift))
        shift -= 4;
    for (;; shift -= 4) {
        *at++ = "0123456789abcdef"[number >> shift & 15];
        if (!shift)
            return at;
    }
}

static void write_line(const struct module *module, const HChar *file_name)
{
    char line[PROCESS_PATH + 256];
    char *at = put_hex(line, module->low);
    *at++ = ' ';
    at = put_hex(at, module->high);
    *at++ = ' ';
    at = put_hex(at, module->bias);
    *at++ = ' ';
    for (uint32_t i = 0; i < module->id_size; i++) {
        *at++ = "0123456789abcdef"[module->id[i] >> 4];
        *at++ = "0123456789abcdef"[module->id[i] & 15];
    }
    if (!module->id)
        *at++ = '-';
    *at++ = ' ';
    while (*file_name && at < line + sizeof line - 2)
        *at++ = *file_name++;
    *at++ = '\n';
    int file = directory_open(process.directory, "modules", O_WRONLY | O_CREAT | O_APPEND);
    if (file < 0)
        return;
    system_write(file, line, (size_t)(at - line));
    system_close(file);
}

void modules_note(uintptr_t pc)
{
    struct module *module = pc ? find_module(pc) : NULL;
    if (!module || module->noted)
        return;
    module->noted = true;
    const NSegment *segment = VG_(am_find_nsegment)(pc);
    const HChar *path = segment ? VG_(am_get_filename)(segment) : NULL;
    if (path)
        write_line(module, path);
}

void modules_unmapped(Addr start, SizeT length)
{
    for (uint32_t i = module_count; i-- > 0;)
        if (start < modules[i].high && start + length > modules[i].low)
            modules[i] = modules[--module_count];
}

void modules_forget(void)
{
    module_count = 0;
}
