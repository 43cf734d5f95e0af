#include "trace/symbols.h"

#include "base/array.h"
#include "base/intern.h"
#include "base/map.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>

struct module {
    uint64_t low, high, bias;
    char id[132]; /* build-id in hexadecimal, or "-" */
    char *path;
    Dwfl_Module *found;
    bool looked;
};

struct symbols {
    struct modules ARRAY_OF(struct module) modules;
    Dwfl *dwfl;
    struct interner *texts;
    struct map lines, functions; /* pc -> text id */
};

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
};

static void read_modules(struct symbols *self, const char *path)
{
    FILE *file = fopen(path, "re");
    char line[8192];
    while (file && fgets(line, sizeof line, file)) {
        struct module module = {0};
        int at = 0;
        if (sscanf(line, "%" SCNx64 " %" SCNx64 " %" SCNx64 " %131s %n", &module.low, &module.high,
                   &module.bias, module.id, &at) != 4 ||
            !at)
            continue;
        size_t length = strcspn(line + at, "\n");
        line[at + (int)length] = '\0';
        module.path = memory_copy(line + at, length + 1);
        array_push(&self->modules, module);
    }
    if (file)
        fclose(file);
}

struct symbols *symbols_open(const char *modules_path)
{
    struct symbols *self = NEW(struct symbols);
    self->texts = interner_create();
    read_modules(self, modules_path);
    return self;
}

void symbols_close(struct symbols *self)
{
    if (!self)
        return;
    if (self->dwfl)
        dwfl_end(self->dwfl);
    for (size_t i = 0; i < self->modules.count; i++)
        free(self->modules.items[i].path);
    array_free(&self->modules);
    interner_destroy(self->texts);
    map_free(&self->lines);
    map_free(&self->functions);
    free(self);
}

static struct module *module_at(struct symbols *self, uint64_t address)
{
    /* The latest wins: a library may have been unloaded and another put there. */
    for (size_t i = self->modules.count; i-- > 0;)
        if (address >= self->modules.items[i].low && address < self->modules.items[i].high)
            return &self->modules.items[i];
    return NULL;
}

static bool same_build(Dwfl_Module *found, const char *wanted)
{
    const unsigned char *bits;
    GElf_Addr address;
    char text[132] = "-";
    GElf_Addr bias;
    if (!dwfl_module_getelf(found, &bias))
        return false;
    int size = dwfl_module_build_id(found, &bits, &address);
    for (int i = 0; i < size && i < 64; i++)
        snprintf(text + 2 * i, 3, "%02x", bits[i]);
    return strcmp(text, wanted) == 0;
}

static Dwfl_Module *debug_info(struct symbols *self, struct module *module)
{
    if (module->looked)
        return module->found;
    module->looked = true;
    if (!self->dwfl)
        self->dwfl = dwfl_begin(&callbacks);
    if (!self->dwfl)
        return NULL;
    dwfl_report_begin_add(self->dwfl);
    Dwfl_Module *found =
        dwfl_report_elf(self->dwfl, module->path, module->path, -1, module->bias, false);
    dwfl_report_end(self->dwfl, NULL, NULL);
    if (found && same_build(found, module->id))
        module->found = found;
    return module->found;
}

static const char *keep(struct symbols *self, struct map *map, uint64_t key, const char *text)
{
    uint32_t id = intern(self->texts, text, strlen(text));
    *map_at(map, key, NULL) = id;
    return intern_text(self->texts, id);
}

/* clang leaves out the table from addresses to compilation units that libdwfl
 * goes by: ask each unit. Answers are kept, so this is once per place. */
static const char *search_units(Dwfl_Module *module, uint64_t pc, int *number, int *column)
{
    Dwarf_Addr bias;
    for (Dwarf_Die *unit = NULL; (unit = dwfl_module_nextcu(module, unit, &bias));) {
        if (dwarf_haspc(unit, pc - bias) <= 0)
            continue;
        Dwarf_Line *line = dwarf_getsrc_die(unit, pc - bias);
        if (!line)
            return NULL;
        dwarf_lineno(line, number);
        dwarf_linecol(line, column);
        return dwarf_linesrc(line, NULL, NULL);
    }
    return NULL;
}

static void describe(struct symbols *self, uint64_t pc, char *text, size_t size)
{
    struct module *module = module_at(self, pc);
    if (!module) {
        if (pc)
            snprintf(text, size, "0x%" PRIx64, pc);
        else
            snprintf(text, size, "-"); /* nobody's code: a thread's beginning or end */
        return;
    }
    Dwfl_Module *found = debug_info(self, module);
    Dwfl_Line *line = found ? dwfl_module_getsrc(found, pc) : NULL;
    int number = 0, column = 0;
    const char *source = line ? dwfl_lineinfo(line, NULL, &number, &column, NULL, NULL) : NULL;
    if (found && !line)
        source = search_units(found, pc, &number, &column);
    if (source && number && column)
        snprintf(text, size, "%s:%d:%d", source, number, column);
    else if (source && number)
        snprintf(text, size, "%s:%d", source, number);
    else {
        const char *slash = strrchr(module->path, '/');
        snprintf(text, size, "%s+0x%" PRIx64, slash ? slash + 1 : module->path, pc - module->bias);
    }
}

const char *symbols_line(struct symbols *self, uint64_t pc)
{
    uint64_t key = pc == UINT64_MAX ? 0 : pc;
    uint64_t *known = map_find(&self->lines, key);
    if (known)
        return intern_text(self->texts, (uint32_t)*known);
    char text[4400];
    describe(self, pc ? pc - 1 : 0, text, sizeof text);
    return keep(self, &self->lines, key, text);
}

const char *symbols_function(struct symbols *self, uint64_t pc)
{
    uint64_t key = pc == UINT64_MAX ? 0 : pc;
    uint64_t *known = map_find(&self->functions, key);
    if (known)
        return *known == INTERN_NONE ? NULL : intern_text(self->texts, (uint32_t)*known);
    struct module *module = module_at(self, pc - 1);
    Dwfl_Module *found = module ? debug_info(self, module) : NULL;
    const char *name = found ? dwfl_module_addrname(found, pc - 1) : NULL;
    if (name)
        return keep(self, &self->functions, key, name);
    *map_at(&self->functions, key, NULL) = INTERN_NONE;
    return NULL;
}

const char *symbols_module(struct symbols *self, uint64_t pc, uint64_t *offset)
{
    struct module *module = module_at(self, pc);
    if (!module)
        return NULL;
    *offset = pc - module->bias;
    return module->path;
}

const char *symbols_data(struct symbols *self, uint64_t address, uint64_t *offset)
{
    struct module *module = module_at(self, address);
    Dwfl_Module *found = module ? debug_info(self, module) : NULL;
    GElf_Sym symbol;
    GElf_Off within;
    const char *name =
        found ? dwfl_module_addrinfo(found, address, &within, &symbol, NULL, NULL, NULL) : NULL;
    if (!name || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || within >= symbol.st_size)
        return NULL;
    *offset = within;
    return name;
}
