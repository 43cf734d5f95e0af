/* SPDX-License-Identifier: MIT */
/* The load map: `modules` in the trace directory, one line a module,
 *
 *     LOW HIGH BIAS BUILD-ID PATH        (hexadecimal; "-" where there is no id)
 *
 * A module is noted when the first program counter inside it is recorded, so
 * that dlopen() needs no interposer (an interposed dlopen would search the
 * caller's paths from the wrong caller). */
#include "runtime/process.h"
#include "runtime/system.h"

#include <elf.h>
#include <link.h>

enum { MODULES_KNOWN = 256 };

static struct {
    _Atomic uint32_t count;
    _Atomic bool writing;
    struct {
        uintptr_t low, high;
    } known[MODULES_KNOWN];
} modules;

/* The file of the program itself, which the load map does not name: asked for while that is
 * allowed. */
static char program[PROCESS_PATH];

void modules_reset(void)
{
    if (!program[0])
        system_call(SYS_readlink, (long)"/proc/self/exe", (long)program, sizeof program - 1, 0, 0,
                    0);
    atomic_store(&modules.count, 0);
    atomic_store(&modules.writing, false);
}

struct search {
    uintptr_t pc, low, high, bias;
    const char *path;
    const uint8_t *id;
    size_t id_size;
};

static void find_build_id(struct search *search, uintptr_t notes, size_t size)
{
    const uint8_t *at = (const uint8_t *)notes, *end = at + size;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
        const ElfW(Nhdr) *note = (const void *)at;
        const uint8_t *name = at + sizeof *note;
        const uint8_t *content = name + ((note->n_namesz + 3u) & ~3u);
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && name[0] == 'G') {
            search->id = content;
            search->id_size = note->n_descsz;
            return;
        }
        at = content + ((note->n_descsz + 3u) & ~3u);
    }
}

static int look(struct dl_phdr_info *info, size_t size, void *argument)
{
    (void)size;
    struct search *search = argument;
    uintptr_t low = UINTPTR_MAX, high = 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD)
            continue;
        uintptr_t start = info->dlpi_addr + part->p_vaddr;
        if (start < low)
            low = start;
        if (start + part->p_memsz > high)
            high = start + part->p_memsz;
    }
    if (search->pc < low || search->pc >= high)
        return 0;
    search->low = low;
    search->high = high;
    search->bias = info->dlpi_addr;
    search->path = info->dlpi_name;
    for (unsigned i = 0; i < info->dlpi_phnum && !search->id; i++)
        if (info->dlpi_phdr[i].p_type == PT_NOTE)
            find_build_id(search, info->dlpi_addr + info->dlpi_phdr[i].p_vaddr,
                          info->dlpi_phdr[i].p_memsz);
    return 1;
}

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

/* One thread at a time (modules.writing), whose stack may be small. */
static void write_line(const struct search *search)
{
    static char line[PROCESS_PATH + 256];
    char *at = put_hex(line, search->low);
    *at++ = ' ';
    at = put_hex(at, search->high);
    *at++ = ' ';
    at = put_hex(at, search->bias);
    *at++ = ' ';
    for (size_t i = 0; i < search->id_size && i < 64; i++) {
        *at++ = "0123456789abcdef"[search->id[i] >> 4];
        *at++ = "0123456789abcdef"[search->id[i] & 15];
    }
    if (!search->id_size)
        *at++ = '-';
    *at++ = ' ';
    const char *name = search->path;
    if (!name || !*name)
        name = program;
    while (*name && at < line + sizeof line - 2)
        *at++ = *name++;
    *at++ = '\n';
    process_add("modules", line, (size_t)(at - line));
}

/* `count` if there is none. */
static uint32_t find_known(uintptr_t pc, uint32_t count)
{
    uint32_t i = 0;
    while (i < count && (pc < modules.known[i].low || pc >= modules.known[i].high))
        i++;
    return i;
}

bool modules_hold_both(uintptr_t a, uintptr_t b)
{
    modules_note(a);
    uint32_t count = atomic_load_explicit(&modules.count, memory_order_acquire);
    uint32_t found = find_known(a, count);
    return found == count || (b >= modules.known[found].low && b < modules.known[found].high);
}

void modules_note(uintptr_t pc)
{
    if (!pc)
        return;
    uint32_t count = atomic_load_explicit(&modules.count, memory_order_acquire);
    if (find_known(pc, count) < count)
        return;
    if (count == MODULES_KNOWN || atomic_exchange(&modules.writing, true))
        return; /* another thread is at it: a later pc of this module will tell */
    struct search search = {.pc = pc};
    if (!dl_iterate_phdr(look, &search)) {
        search.low = pc & ~(uintptr_t)4095; /* generated code: not asked for again */
        search.high = search.low + 4096;
    } else {
        write_line(&search);
    }
    modules.known[count].low = search.low;
    modules.known[count].high = search.high;
    atomic_store_explicit(&modules.count, count + 1, memory_order_release);
    atomic_store(&modules.writing, false);
}
