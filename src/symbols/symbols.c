/* SPDX-License-Identifier: MIT */
#include "symbols/symbols.h"

#include "base/array.h"
#include "base/files.h"
#include "base/intern.h"
#include "base/map.h"
#include "symbols/debug_checksums.h"
#include "symbols/debug_files.h"
#include "symbols/debug_members.h"
#include "symbols/debug_names.h"
#include "symbols/debug_places.h"
#include "symbols/initial_data.h"
#include "symbols/instrumented.h"
#include "symbols/debug_rank.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FRAMES = 32 }; /* of one address */

enum { NEEDED_WITHIN = 16 << 20 };

struct module {
    uint64_t low, high, bias;
    char id[132]; /* build-id in hexadecimal, or "-" */
    char *path;
    bool looked;
    struct debug_file file;
    struct debug_names *names;    /* NULL if the file was not found */
    struct initial_data *initial; /* NULL until it is asked for */
    struct debug_places *places;
    struct map ranks;              /* debug_rank() */
    struct debug_members *members; /* once it was asked for */
    bool looked_inside;
    bool asked_instrumented, instrumented;
};

struct frame {
    uint32_t function, place, stable; /* text ids; function may be INTERN_NONE */
};

struct symbols {
    struct modules ARRAY_OF(struct module) modules;
    struct interner *texts;
    struct interner *builds; /* directories */
    struct frames ARRAY_OF(struct frame) frames;
    struct map known;      /* pc -> its first frame and how many */
    struct map functions;  /* pc -> text id */
    struct map identities; /* the same */
};

static void read_modules(struct symbols *self, const char *path)
{
    FILE *file = files_read(path);
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
    self->builds = interner_create();
    read_modules(self, modules_path);
    return self;
}

void symbols_close(struct symbols *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < self->modules.count; i++) {
        struct module *module = &self->modules.items[i];
        debug_names_destroy(module->names);
        initial_data_close(module->initial);
        debug_places_destroy(module->places);
        map_free(&module->ranks);
        debug_members_destroy(module->members);
        debug_file_close(&module->file);
        free(module->path);
    }
    array_free(&self->modules);
    array_free(&self->frames);
    interner_destroy(self->texts);
    interner_destroy(self->builds);
    map_free(&self->known);
    map_free(&self->functions);
    map_free(&self->identities);
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

/* The module, its debug information looked for; NULL if nobody knows the address. */
static struct module *known_module(struct symbols *self, uint64_t address)
{
    struct module *module = module_at(self, address);
    if (!module || module->looked)
        return module;
    module->looked = true;
    if (debug_file_open(&module->file, module->path, module->id, module->bias)) {
        module->names = debug_names_create(module->file.module);
        module->places = debug_places_create(module->file.module);
    }
    return module;
}

static uint32_t keep(struct symbols *self, const char *text)
{
    return text ? intern(self->texts, text, strlen(text)) : INTERN_NONE;
}

/* How much of `file` to leave out: the directories it shares with the compiler's own. */
static size_t shared_part(const char *file, const char *directory)
{
    size_t shared = 0;
    for (size_t i = 0; directory && *file == '/'; i++) {
        bool end = !directory[i];
        if (file[i] == '/' && (end || directory[i] == '/'))
            shared = i + 1;
        if (end || file[i] != directory[i])
            break;
    }
    return shared;
}

/* Where the compiler ran, and where the file lies that it compiled. */
static void note_build(struct symbols *self, const struct debug_frame *found)
{
    char path[4400];
    const char *slash = found->compiled ? strrchr(found->compiled, '/') : NULL;
    if (found->directory)
        intern(self->builds, found->directory, strlen(found->directory));
    if (!slash || (*found->compiled != '/' && !found->directory))
        return;
    bool whole = *found->compiled == '/';
    int length = snprintf(path, sizeof path, "%s%s%.*s", whole ? "" : found->directory,
                          whole ? "" : "/", (int)(slash - found->compiled), found->compiled);
    if (length > 0 && length < (int)sizeof path)
        intern(self->builds, path, (size_t)length);
}

static void add_place(struct symbols *self, const struct debug_frame *found)
{
    note_build(self, found);
    char text[4400], column[16] = "";
    if (found->column)
        snprintf(column, sizeof column, ":%d", found->column);
    int length = snprintf(text, sizeof text, "%s:%d%s", found->file, found->line, column);
    size_t shared = shared_part(found->file, found->directory);
    struct frame frame = {.function = keep(self, found->function), .place = keep(self, text)};
    frame.stable = keep(self, text + (shared < (size_t)length ? shared : 0));
    array_push(&self->frames, frame);
}

/* The symbol of a function, for what debug information does not tell or hides in another
 * function, as it does with the parts of an OpenMP region. */
static const char *plain_name(const struct module *module, uint64_t pc, uint64_t *offset)
{
    return module && module->names ? debug_names_function(module->names, pc, offset) : NULL;
}

/* An address that debug information says nothing about. */
static void add_bare(struct symbols *self, const struct module *module, uint64_t pc)
{
    char text[4400];
    uint64_t offset;
    const char *name = plain_name(module, pc, &offset);
    if (name) {
        snprintf(text, sizeof text, "%s+0x%" PRIx64, name, offset);
    } else if (module) {
        const char *slash = strrchr(module->path, '/');
        snprintf(text, sizeof text, "%s+0x%" PRIx64, slash ? slash + 1 : module->path,
                 pc - module->bias);
    } else if (pc) {
        snprintf(text, sizeof text, "0x%" PRIx64, pc);
    } else {
        snprintf(text, sizeof text, "-"); /* nobody's code: a thread's beginning or end */
    }
    struct frame frame = {.function = keep(self, name), .place = keep(self, text)};
    frame.stable = frame.place;
    array_push(&self->frames, frame);
}

static const struct frame *frames_at(struct symbols *self, uint64_t pc, uint32_t *count)
{
    bool added;
    uint64_t *known = map_at(&self->known, pc == UINT64_MAX ? 0 : pc, &added);
    if (added) {
        struct debug_frame found[MOST_FRAMES];
        uint64_t call = pc ? pc - 1 : 0, offset;
        uint32_t first = (uint32_t)self->frames.count;
        struct module *module = known_module(self, call);
        size_t total = module && module->places
                           ? debug_places_find(module->places, call, found, MOST_FRAMES)
                           : 0;
        if (total && !found[total - 1].function)
            found[total - 1].function = plain_name(module, call, &offset);
        for (size_t i = 0; i < total; i++)
            add_place(self, &found[i]);
        if (!total)
            add_bare(self, module, call);
        *known = map_pair(first, (uint32_t)self->frames.count - first);
    }
    *count = (uint32_t)*known;
    return &self->frames.items[*known >> 32];
}

/* The innermost that is the program's own, or else the innermost. */
static const struct frame *own_frame(struct symbols *self, uint64_t pc)
{
    uint32_t count;
    const struct frame *frames = frames_at(self, pc, &count);
    for (uint32_t i = 0; i < count; i++)
        if (!debug_place_is_library(intern_text(self->texts, frames[i].place)))
            return &frames[i];
    return frames;
}

const char *symbols_line(struct symbols *self, uint64_t pc)
{
    return intern_text(self->texts, own_frame(self, pc)->place);
}

const char *symbols_build(const struct symbols *self, uint32_t number)
{
    return number < intern_count(self->builds) ? intern_text(self->builds, number) : NULL;
}

bool symbols_vouch_for(const struct symbols *self, const uint8_t sum[MD5_BYTES])
{
    for (size_t i = 0; i < self->modules.count; i++)
        if (self->modules.items[i].file.module &&
            debug_checksums_have(self->modules.items[i].file.module, sum))
            return true;
    return false;
}

const char *symbols_stable_line(struct symbols *self, uint64_t pc)
{
    return intern_text(self->texts, own_frame(self, pc)->stable);
}

/* The name of the file alone: sources move. Without a rank there is only the line. */
static uint32_t make_identity(struct symbols *self, uint64_t pc)
{
    struct module *module = known_module(self, pc - 1);
    const struct frame *frame = own_frame(self, pc);
    const char *place = intern_text(self->texts, frame->stable), *name;
    unsigned rank;
    uint64_t offset;
    if (!module || !module->names ||
        !debug_rank(module->file.module, module->names, module->places, pc, &module->ranks, &rank))
        return frame->stable;
    name = plain_name(module, pc - 1, &offset);
    const char *slash = strrchr(place, '/'), *file = slash ? slash + 1 : place;
    char *text;
    if (asprintf(&text, "%.*s:%s:%s#%u", (int)strcspn(file, ":+"), file,
                 frame->function == INTERN_NONE ? "" : intern_text(self->texts, frame->function),
                 name ? name : "", rank) < 0)
        return frame->stable;
    uint32_t id = keep(self, text);
    free(text);
    return id;
}

const char *symbols_identity(struct symbols *self, uint64_t pc)
{
    bool added;
    const uint64_t *known = map_find(&self->identities, pc);
    uint32_t id = known                    ? (uint32_t)*known
                  : pc && pc != UINT64_MAX ? make_identity(self, pc)
                                           : own_frame(self, pc)->stable;
    if (!known && pc != UINT64_MAX)
        *map_at(&self->identities, pc, &added) = id;
    return intern_text(self->texts, id);
}

static bool is_named(const char *path, const char *beginning)
{
    const char *slash = strrchr(path, '/');
    return strncmp(slash ? slash + 1 : path, beginning, strlen(beginning)) == 0;
}

static bool is_cplusplus(const char *path)
{
    return is_named(path, "libstdc++.so") || is_named(path, "libc++.so");
}

/* The C library, which calls main() and threads, and our own runtime. */
static bool is_below(const char *path)
{
    return is_named(path, "libc.so") || is_named(path, "libpreplay") ||
           is_named(path, "libtsan.so") || is_named(path, "vgpreload_preplay");
}

/* Linked statically, without lines: "_ZNSt6thread...+0x18". */
static bool is_standard(const char *place)
{
    return !strchr(place, ':') &&
           (strncmp(place, "_ZNSt", 5) == 0 || strncmp(place, "_ZSt", 4) == 0);
}

bool symbols_is_library(struct symbols *self, uint64_t pc)
{
    const struct module *module = module_at(self, pc);
    const char *place = symbols_line(self, pc);
    return debug_place_is_library(place) || is_standard(place) ||
           (module && (is_cplusplus(module->path) || is_below(module->path)));
}

/* Which libraries it needs is written near the file's beginning, and so are most names of one
 * that has the library inside. */
static bool needs_cplusplus(const char *path)
{
    int file = files_open_linked(path);
    struct stat status;
    bool found = false;
    if (file < 0)
        return false;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        size_t size =
            (size_t)status.st_size < NEEDED_WITHIN ? (size_t)status.st_size : NEEDED_WITHIN;
        void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
        if (bytes != MAP_FAILED) {
            found = memmem(bytes, size, "libstdc++.so", 12) ||
                    memmem(bytes, size, "libc++.so", 9) || memmem(bytes, size, "_ZNSt", 5);
            munmap(bytes, size);
        }
    }
    close(file);
    return found;
}

bool symbols_has_library(const struct symbols *self)
{
    for (size_t i = 0; i < self->modules.count; i++)
        if (is_cplusplus(self->modules.items[i].path) ||
            needs_cplusplus(self->modules.items[i].path))
            return true;
    return false;
}

bool symbols_frame(struct symbols *self, uint64_t pc, uint32_t level, const char **function,
                   const char **place)
{
    uint32_t count;
    const struct frame *frame = frames_at(self, pc, &count);
    if (level >= count)
        return false;
    frame += level;
    *function = frame->function == INTERN_NONE ? NULL : intern_text(self->texts, frame->function);
    *place = intern_text(self->texts, frame->place);
    return true;
}

const char *symbols_function(struct symbols *self, uint64_t pc)
{
    bool added;
    uint64_t *known = map_at(&self->functions, pc == UINT64_MAX ? 0 : pc, &added);
    if (added) {
        uint64_t offset;
        struct module *module = known_module(self, pc - 1);
        *known = keep(self, module && module->names
                                ? debug_names_function(module->names, pc - 1, &offset)
                                : NULL);
    }
    return *known == INTERN_NONE ? NULL : intern_text(self->texts, (uint32_t)*known);
}

const char *symbols_module(struct symbols *self, uint64_t pc, uint64_t *offset)
{
    struct module *module = module_at(self, pc);
    if (!module)
        return NULL;
    *offset = pc - module->bias;
    return module->path;
}

const char *symbols_code(struct symbols *self, uint64_t pc, uint64_t *offset)
{
    struct module *module = known_module(self, pc);
    if (!module || !module->names)
        return NULL;
    *offset = pc - module->bias;
    return module->path;
}

static bool is_instrumented(struct module *module)
{
    if (!module->asked_instrumented)
        module->instrumented = instrumented_file(module->path);
    module->asked_instrumented = true;
    return module->instrumented;
}

bool symbols_is_unseen(struct symbols *self, uint64_t pc)
{
    struct module *own = module_at(self, pc);
    if (!own || is_instrumented(own))
        return false;
    for (size_t i = 0; i < self->modules.count; i++)
        if (is_instrumented(&self->modules.items[i]))
            return true;
    return false;
}

bool symbols_initial(struct symbols *self, uint64_t address, uint64_t length, uint64_t *value)
{
    struct module *module = known_module(self, address);
    if (!module || !module->names)
        return false;
    if (!module->initial)
        module->initial = initial_data_open(module->path);
    return module->initial &&
           initial_data_read(module->initial, address - module->bias, (size_t)length, value);
}

const char *symbols_data(struct symbols *self, uint64_t address, uint64_t *offset)
{
    struct module *module = known_module(self, address);
    return module && module->names ? debug_names_variable(module->names, address, offset) : NULL;
}

bool symbols_member(struct symbols *self, uint64_t address, uint64_t length, char *path,
                    size_t size)
{
    struct module *module = known_module(self, address);
    if (!module || !module->names)
        return false;
    if (!module->looked_inside)
        module->members = debug_members_create(module->file.module);
    module->looked_inside = true;
    return module->members && debug_members_path(module->members, address, length, path, size);
}
