/* SPDX-License-Identifier: MIT */
#include "runtime/library_code.h"

#include "runtime/edges.h"
#include "runtime/front.h"
#include "runtime/process.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

/* --- finding modules ---------------------------------------------------------------------------
 */

struct search {
    uintptr_t pc; /* or 0, and: */
    bool (*is_wanted)(const struct library_code *);
    struct library_code *module;
};

static void note_part(struct library_code *module, const ElfW(Phdr) * part)
{
    uintptr_t low = module->bias + part->p_vaddr, high = low + part->p_memsz;
    if (part->p_type == PT_LOAD) {
        module->low = low < module->low ? low : module->low;
        module->high = high > module->high ? high : module->high;
        if (part->p_flags & PF_X) {
            module->code_low = low;
            module->code_high = high;
        }
    }
    if (part->p_type == PT_GNU_RELRO) {
        module->closed_low = low;
        module->closed_high = high;
    }
    if (part->p_type == PT_DYNAMIC)
        module->dynamic = (const void *)low;
}

static int look(struct dl_phdr_info *info, size_t size, void *argument)
{
    (void)size;
    struct search *search = argument;
    struct library_code found = {
        .bias = info->dlpi_addr, .path = info->dlpi_name, .low = UINTPTR_MAX};
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        note_part(&found, &info->dlpi_phdr[i]);
    found.instrumented = front_is_needed_by(info);
    if (search->is_wanted ? !search->is_wanted(&found)
                          : search->pc < found.low || search->pc >= found.high)
        return 0;
    *search->module = found;
    return 1;
}

static bool find(uintptr_t pc, struct library_code *module)
{
    struct search search = {.pc = pc, .module = module};
    return dl_iterate_phdr(look, &search);
}

bool library_code_first(bool (*is_wanted)(const struct library_code *), struct library_code *found)
{
    struct search search = {.is_wanted = is_wanted, .module = found};
    return dl_iterate_phdr(look, &search);
}

static int count_loads(struct dl_phdr_info *info, size_t size, void *loads)
{
    (void)size;
    *(uint64_t *)loads = info->dlpi_adds;
    return 1;
}

uint64_t library_code_loads(void)
{
    uint64_t loads = 0;
    dl_iterate_phdr(count_loads, &loads);
    return loads;
}

/* --- which of them synchronise -----------------------------------------------------------------
 */

/* What they do is known: by interposers of ours, or since they use nothing but the C library's. */
static const char *const known[] = {
    "libc.so",     "libm.so",    "libpthread", "libdl.so",   "librt.so",  "ld-linux",
    "libstdc++",   "libgcc_s",   "libc++",     "libgomp",    "libomp",    "libatomic",
    "libglib-2.0", "libtbb",     "libuv.so",   "libcrypto",  "libssl",    "libboost_fiber",
    "libpreplay",  "vgpreload_", "libtsan",    "linux-vdso", "libunwind", "libboost_context",
};

static bool begins(const char *text, const char *word)
{
    while (*word && *text == *word)
        text++, word++;
    return !*word;
}

static const char *name_of(const char *path)
{
    const char *name = path;
    for (; path && *path; path++)
        if (*path == '/')
            name = path + 1;
    return name;
}

bool library_code_is_of(uintptr_t code, const char *name)
{
    struct library_code module;
    const char *found = find(code, &module) ? name_of(module.path) : NULL;
    return found && begins(found, name);
}

static bool is_known(const char *path)
{
    const char *name = name_of(path);
    bool found = !name || !*name; /* the program itself */
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        found |= begins(name ? name : "", known[i]);
    return found;
}

/* cmpxchg and xadd with memory, under a lock prefix. Others (lock or, lock dec) come along with
 * them, and are too short to be told from chance bytes. */
static bool has_locked_code(const uint8_t *at, const uint8_t *end)
{
    for (; at + 5 < end; at++) {
        if (*at != 0xf0)
            continue;
        const uint8_t *code = at + 1 + ((at[1] & 0xf0) == 0x40);
        bool exchanges = code[1] == 0xb0 || code[1] == 0xb1;
        bool adds = code[1] == 0xc0 || code[1] == 0xc1;
        if (code[0] == 0x0f && (exchanges || adds) && code[2] < 0xc0)
            return true;
    }
    return false;
}

static bool synchronises(const struct library_code *module)
{
    return !module->instrumented && !is_known(module->path) && module->code_low &&
           has_locked_code((const uint8_t *)module->code_low, (const uint8_t *)module->code_high);
}

enum { MODULES = 256 };

/* Asked at the start of threads and when modules are loaded: an answer may be found twice. */
uint64_t library_code_edge(uintptr_t code)
{
    static struct answer {
        _Atomic uintptr_t high;
        uintptr_t low;
        uint64_t edge;
    } answers[MODULES];
    static _Atomic uint32_t used;
    uint32_t count = atomic_load(&used);
    for (uint32_t i = 0; i < count && i < MODULES; i++)
        if (code < atomic_load(&answers[i].high) && code >= answers[i].low)
            return answers[i].edge;
    struct library_code module;
    if (!find(code, &module))
        return 0;
    uint64_t edge = synchronises(&module) ? edge_object(EDGE_LIBRARY, module.low >> 12) : 0;
    if (edge)
        modules_note(module.code_low); /* for its name */
    uint32_t index = atomic_fetch_add(&used, 1);
    if (index < MODULES) {
        answers[index].low = module.low;
        answers[index].edge = edge;
        atomic_store(&answers[index].high, module.high);
    }
    return edge;
}

/* --- their slots ----------------------------------------------------------------------------- */

struct tables {
    const ElfW(Rela) * slots;
    size_t slots_size;
    const ElfW(Sym) * symbols;
    const char *strings;
    const ElfW(Half) * versions;
    const ElfW(Verneed) * needed;
};

static struct tables read_tables(const struct library_code *module)
{
    struct tables tables = {0};
    for (const ElfW(Dyn) *entry = module->dynamic; entry && entry->d_tag != DT_NULL; entry++) {
        uintptr_t value = entry->d_un.d_ptr;
        const void *at = (const void *)(value < module->bias ? module->bias + value : value);
        switch (entry->d_tag) {
        case DT_JMPREL:
            tables.slots = at;
            break;
        case DT_PLTRELSZ:
            tables.slots_size = value;
            break;
        case DT_SYMTAB:
            tables.symbols = at;
            break;
        case DT_STRTAB:
            tables.strings = at;
            break;
        case DT_VERSYM:
            tables.versions = at;
            break;
        case DT_VERNEED:
            tables.needed = at;
            break;
        default:
            break;
        }
    }
    return tables;
}

/* NULL: any version will do. */
static const char *version_of(const struct tables *tables, size_t symbol)
{
    unsigned wanted = tables->versions ? tables->versions[symbol] & 0x7fffu : 0;
    const ElfW(Verneed) *file = wanted > 1 ? tables->needed : NULL;
    while (file) {
        const ElfW(Vernaux) *version = (const void *)((const char *)file + file->vn_aux);
        for (unsigned i = 0; i < file->vn_cnt; i++) {
            if ((version->vna_other & 0x7fffu) == wanted)
                return tables->strings + version->vna_name;
            version = (const void *)((const char *)version + version->vna_next);
        }
        file = file->vn_next ? (const void *)((const char *)file + file->vn_next) : NULL;
    }
    return NULL;
}

/* What the loader would put there, or has put there. */
static uintptr_t function_of(const struct library_code *module, const struct tables *tables,
                             size_t symbol, const uintptr_t *slot)
{
    uintptr_t value = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    if (value < module->low || value >= module->high)
        return value;
    const char *name = tables->strings + tables->symbols[symbol].st_name;
    const char *version = version_of(tables, symbol);
    return (uintptr_t)(version ? dlvsym(RTLD_DEFAULT, name, version) : dlsym(RTLD_DEFAULT, name));
}

void library_code_slots(const struct library_code *module, library_code_slot *each, void *context)
{
    struct tables tables = read_tables(module);
    if (!tables.slots || !tables.symbols || !tables.strings)
        return;
    for (size_t i = 0; i < tables.slots_size / sizeof *tables.slots; i++) {
        const ElfW(Rela) *entry = &tables.slots[i];
        size_t symbol = ELF64_R_SYM(entry->r_info);
        uintptr_t *slot = (uintptr_t *)(module->bias + entry->r_offset);
        if (ELF64_R_TYPE(entry->r_info) != R_X86_64_JUMP_SLOT || !symbol)
            continue;
        uintptr_t function = function_of(module, &tables, symbol, slot);
        if (function && (function < module->low || function >= module->high))
            each(context, slot, function);
    }
}
