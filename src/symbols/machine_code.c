/* SPDX-License-Identifier: MIT */
#include "symbols/machine_code.h"

#include "base/array.h"
#include "base/map.h"

#include <capstone/capstone.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

enum {
    FUNCTION_MOST = 1 << 20, /* bytes; what is longer was made by a machine */
    STUB_MOST = 3,           /* instructions before a stub's jump */
};

struct span {
    uint64_t low, high;
};

/* A part of the file as it is loaded. */
struct loaded {
    uint64_t address, size;
    const uint8_t *bytes;
};

struct machine_code {
    int file;
    Elf *elf;
    csh decoder;
    bool decodes;
    struct loads ARRAY_OF(struct loaded) loads;
    struct spans ARRAY_OF(struct span) spans; /* functions, by address */
    struct map slots;                         /* address -> name, as a pointer */
    struct map decoded;                       /* low -> index into `functions` */
    struct functions ARRAY_OF(struct function_code *) functions;
    struct map stubs; /* address -> name, as a pointer, or 0 */
};

/* --- the file ------------------------------------------------------------------- */

static void add_load(struct machine_code *self, const GElf_Phdr *header)
{
    Elf_Data *data = elf_getdata_rawchunk(self->elf, (int64_t)header->p_offset,
                                          (size_t)header->p_filesz, ELF_T_BYTE);
    if (!data || !data->d_buf)
        return;
    struct loaded loaded = {header->p_vaddr, data->d_size, data->d_buf};
    array_push(&self->loads, loaded);
}

static void read_loads(struct machine_code *self)
{
    size_t count = 0;
    if (elf_getphdrnum(self->elf, &count))
        return;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(self->elf, (int)i, &header) && header.p_type == PT_LOAD &&
            header.p_flags & PF_X)
            add_load(self, &header);
    }
}

static void add_functions(struct machine_code *self, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
    for (size_t i = 0; i < count; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol) || GELF_ST_TYPE(symbol.st_info) != STT_FUNC ||
            !symbol.st_size || symbol.st_size > FUNCTION_MOST || symbol.st_shndx == SHN_UNDEF)
            continue;
        struct span span = {symbol.st_value, symbol.st_value + symbol.st_size};
        array_push(&self->spans, span);
    }
}

/* Which name the dynamic linker looks up for a slot. */
static void add_slots(struct machine_code *self, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Scn *names = elf_getscn(self->elf, header->sh_link);
    GElf_Shdr of;
    Elf_Data *data = elf_getdata(section, NULL), *symbols = NULL;
    if (!names || !gelf_getshdr(names, &of) || !(symbols = elf_getdata(names, NULL)) || !data ||
        !header->sh_entsize)
        return;
    for (size_t i = 0; i < data->d_size / header->sh_entsize; i++) {
        GElf_Rela entry;
        GElf_Sym symbol;
        if (!gelf_getrela(data, (int)i, &entry) ||
            (GELF_R_TYPE(entry.r_info) != R_X86_64_JUMP_SLOT &&
             GELF_R_TYPE(entry.r_info) != R_X86_64_GLOB_DAT) ||
            !gelf_getsym(symbols, (int)GELF_R_SYM(entry.r_info), &symbol))
            continue;
        const char *name = elf_strptr(self->elf, of.sh_link, symbol.st_name);
        if (name && entry.r_offset != UINT64_MAX)
            *map_at(&self->slots, entry.r_offset, NULL) = (uint64_t)(uintptr_t)name;
    }
}

static int by_address(const void *a, const void *b)
{
    const struct span *left = a, *right = b;
    if (left->low != right->low)
        return left->low < right->low ? -1 : 1;
    return left->high > right->high ? -1 : left->high < right->high;
}

static void read_sections(struct machine_code *self)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(self->elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header))
            continue;
        if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM)
            add_functions(self, section, &header);
        else if (header.sh_type == SHT_RELA)
            add_slots(self, section, &header);
    }
    if (self->spans.count)
        qsort(self->spans.items, self->spans.count, sizeof *self->spans.items, by_address);
}

static bool is_ours(Elf *elf)
{
    GElf_Ehdr header;
    return elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) &&
           header.e_machine == EM_X86_64;
}

struct machine_code *machine_code_open(const char *path)
{
    elf_version(EV_CURRENT);
    struct machine_code *self = NEW(struct machine_code);
    self->file = open(path, O_RDONLY | O_CLOEXEC);
    if (self->file >= 0)
        self->elf = elf_begin(self->file, ELF_C_READ_MMAP, NULL);
    self->decodes =
        is_ours(self->elf) && cs_open(CS_ARCH_X86, CS_MODE_64, &self->decoder) == CS_ERR_OK;
    if (!self->decodes) {
        machine_code_close(self);
        return NULL;
    }
    cs_option(self->decoder, CS_OPT_DETAIL, CS_OPT_ON);
    read_loads(self);
    read_sections(self);
    return self;
}

void machine_code_close(struct machine_code *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < self->functions.count; i++) {
        free((void *)self->functions.items[i]->items);
        free(self->functions.items[i]);
    }
    array_free(&self->functions);
    array_free(&self->loads);
    array_free(&self->spans);
    map_free(&self->slots);
    map_free(&self->decoded);
    map_free(&self->stubs);
    if (self->decodes)
        cs_close(&self->decoder);
    if (self->elf)
        elf_end(self->elf);
    if (self->file >= 0)
        close(self->file);
    free(self);
}

/* --- instructions --------------------------------------------------------------- */

/* The code at an address, and how many bytes of it there are. */
static const uint8_t *bytes_at(const struct machine_code *self, uint64_t address, size_t *size)
{
    for (size_t i = 0; i < self->loads.count; i++) {
        const struct loaded *loaded = &self->loads.items[i];
        if (address >= loaded->address && address - loaded->address < loaded->size) {
            *size = (size_t)(loaded->size - (address - loaded->address));
            return loaded->bytes + (address - loaded->address);
        }
    }
    return NULL;
}

static enum flow flow_of(csh decoder, const cs_insn *found)
{
    if (found->id == X86_INS_JMP)
        return FLOW_JUMP;
    if (cs_insn_group(decoder, found, CS_GRP_CALL))
        return FLOW_CALL;
    if (cs_insn_group(decoder, found, CS_GRP_JUMP))
        return FLOW_BRANCH;
    if (cs_insn_group(decoder, found, CS_GRP_RET) || found->id == X86_INS_UD2 ||
        found->id == X86_INS_HLT)
        return FLOW_STOP;
    return FLOW_ON;
}

static void find_target(struct instruction *one, const cs_insn *found)
{
    const cs_x86 *detail = &found->detail->x86;
    if (one->flow == FLOW_ON || one->flow == FLOW_STOP || detail->op_count != 1)
        return;
    const cs_x86_op *operand = &detail->operands[0];
    if (operand->type == X86_OP_IMM) {
        one->target = (uint64_t)operand->imm;
    } else if (operand->type == X86_OP_MEM && operand->mem.base == X86_REG_RIP) {
        one->target = one->end + (uint64_t)operand->mem.disp;
        one->through_slot = true;
    }
}

/* The register that holds the address of a local variable after the instruction, of which `held`
 * did before; X86_REG_INVALID: none that we know of. */
static x86_reg frame_register(const cs_insn *found, x86_reg held)
{
    const cs_x86_op *to = &found->detail->x86.operands[0], *from = to + 1;
    if (found->detail->x86.op_count < 1 || to->type != X86_OP_REG || !(to->access & CS_AC_WRITE))
        return held;
    if (found->id == X86_INS_LEA &&
        (from->mem.base == X86_REG_RBP || from->mem.base == X86_REG_RSP))
        return to->reg;
    if (found->id == X86_INS_MOV && from->type == X86_OP_REG && from->reg == held)
        return to->reg;
    return to->reg == held ? X86_REG_INVALID : held;
}

/* Decodes the next instruction and moves on; what is none stops, a byte long. */
static struct instruction decode(struct machine_code *self, cs_insn *room, const uint8_t **bytes,
                                 size_t *left, uint64_t *address)
{
    struct instruction one = {.address = *address, .flow = FLOW_STOP};
    if (cs_disasm_iter(self->decoder, bytes, left, address, room)) {
        one.end = *address;
        one.flow = flow_of(self->decoder, room);
        find_target(&one, room);
        register_use_find(self->decoder, room, &one.use);
        return one;
    }
    ++*bytes;
    --*left;
    one.end = ++*address;
    return one;
}

static struct function_code *decode_function(struct machine_code *self, const struct span *span)
{
    struct {
        struct instruction *items;
        size_t count, capacity;
    } found = {0};
    struct function_code *function = NEW(struct function_code);
    size_t left = 0;
    uint64_t address = span->low;
    const uint8_t *bytes = bytes_at(self, address, &left);
    cs_insn *room = cs_malloc(self->decoder);
    x86_reg frame = X86_REG_INVALID;
    if (left > span->high - span->low)
        left = (size_t)(span->high - span->low);
    while (bytes && room && left) {
        struct instruction one = decode(self, room, &bytes, &left, &address);
        one.of_frame = one.flow == FLOW_CALL && frame == X86_REG_RDI;
        frame = one.flow == FLOW_ON ? frame_register(room, frame) : X86_REG_INVALID;
        array_push(&found, one);
    }
    if (room)
        cs_free(room, 1);
    *function = (struct function_code){span->low, span->high, found.items, found.count};
    return function;
}

static const struct span *span_at(const struct machine_code *self, uint64_t address)
{
    size_t low = 0, high = self->spans.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (self->spans.items[middle].low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    /* Several names of one place stand side by side, the longest first. */
    while (low && self->spans.items[low - 1].high <= address && low > 1 &&
           self->spans.items[low - 2].low == self->spans.items[low - 1].low)
        low--;
    return low && address < self->spans.items[low - 1].high ? &self->spans.items[low - 1] : NULL;
}

const struct function_code *machine_code_function(struct machine_code *self, uint64_t address)
{
    const struct span *span = span_at(self, address);
    bool added;
    if (!span)
        return NULL;
    uint64_t *index = map_at(&self->decoded, span->low, &added);
    if (added) {
        *index = self->functions.count;
        array_push(&self->functions, decode_function(self, span));
    }
    const struct function_code *function = self->functions.items[*index];
    return function->count ? function : NULL;
}

/* --- what a call reaches ----------------------------------------------------------- */

static const char *slot_name(const struct machine_code *self, uint64_t slot)
{
    const uint64_t *name = map_find(&self->slots, slot);
    return name ? (const char *)(uintptr_t)*name : NULL;
}

/* The stubs of the procedure linkage table are jumps through a slot. */
static const char *stub_name(struct machine_code *self, uint64_t address)
{
    size_t left = 0;
    const uint8_t *bytes = bytes_at(self, address, &left);
    cs_insn *room = cs_malloc(self->decoder);
    const char *name = NULL;
    for (int i = 0; bytes && room && left && i < STUB_MOST; i++) {
        struct instruction one = decode(self, room, &bytes, &left, &address);
        if (one.flow == FLOW_JUMP && one.through_slot)
            name = slot_name(self, one.target);
        if (one.flow != FLOW_ON)
            break;
    }
    if (room)
        cs_free(room, 1);
    return name;
}

const char *machine_code_import(struct machine_code *self, const struct instruction *call)
{
    bool added;
    if (!call->target || call->target == UINT64_MAX)
        return NULL;
    if (call->through_slot)
        return slot_name(self, call->target);
    if (span_at(self, call->target))
        return NULL;
    uint64_t *name = map_at(&self->stubs, call->target, &added);
    if (added)
        *name = (uint64_t)(uintptr_t)stub_name(self, call->target);
    return (const char *)(uintptr_t)*name;
}
