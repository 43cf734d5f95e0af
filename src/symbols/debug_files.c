/* SPDX-License-Identifier: MIT */
#include "symbols/debug_files.h"

#include "base/files.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    char path[PATH_MAX]; /* as libdwfl wants it */
    char *path_pointer;
    bool debuginfod;
} settings = {.path = ":.debug:/usr/lib/debug", .path_pointer = settings.path};

void debug_files_look_in(const char *directories, bool debuginfod)
{
    settings.debuginfod = debuginfod;
    if (directories && *directories)
        snprintf(settings.path, sizeof settings.path, ":.debug:%s:/usr/lib/debug", directories);
}

/* --- debug information apart ---------------------------------------------------------- */

/* The directories of the search path, one a call; "" and ".debug" are beside the module. */
static bool next_directory(const char **at, char *text, size_t size)
{
    if (!*at)
        return false;
    size_t length = strcspn(*at, ":");
    snprintf(text, size, "%.*s", (int)length, *at);
    *at = (*at)[length] ? *at + length + 1 : NULL;
    return true;
}

/* The checksum of .gnu_debuglink, for modules without a build-id. */
static uint32_t checksum_of(int file)
{
    unsigned char bytes[1 << 16];
    uint32_t sum = UINT32_MAX;
    ssize_t count;
    lseek(file, 0, SEEK_SET);
    while ((count = read(file, bytes, sizeof bytes)) > 0)
        for (ssize_t i = 0; i < count; i++) {
            sum ^= bytes[i];
            for (int bit = 0; bit < 8; bit++)
                sum = sum >> 1 ^ (sum & 1 ? UINT32_C(0xedb88320) : 0);
        }
    return ~sum;
}

static bool belongs(int file, Dwfl_Module *module, uint32_t checksum)
{
    const unsigned char *wanted;
    const void *has;
    GElf_Addr address;
    int size = dwfl_module_build_id(module, &wanted, &address);
    if (size <= 0)
        return checksum_of(file) == checksum;
    Elf *elf = elf_begin(file, ELF_C_READ, NULL);
    bool same = dwelf_elf_gnu_build_id(elf, &has) == size && memcmp(has, wanted, (size_t)size) == 0;
    elf_end(elf);
    return same;
}

/* As gdb looks: DIR/LINK, DIR/.debug/LINK, then below each directory of debug files by the
 * module's own path, and by name alone for files that were moved. */
static int open_link(Dwfl_Module *module, const char *path, const char *link, uint32_t checksum,
                     char **name)
{
    char here[PATH_MAX], directory[PATH_MAX], other[3 * PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(here, sizeof here, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    for (const char *at = settings.path; next_directory(&at, directory, sizeof directory);)
        for (int flat = 0; flat < 2; flat++) {
            bool beside = *directory != '/';
            snprintf(other, sizeof other, "%s%s%s/%s", beside ? here : directory, beside ? "/" : "",
                     beside ? directory : (flat ? "" : here), link);
            int file = strcmp(other, path) == 0 ? -1 : files_open_linked(other);
            if (file >= 0 && belongs(file, module, checksum)) {
                *name = strdup(other);
                return file;
            }
            if (file >= 0)
                close(file);
        }
    return -1;
}

/* libdwfl's own search ends at debuginfod's servers whenever the environment names some;
 * this one does not. */
static int find_apart(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                      const char *file, const char *link, GElf_Word checksum, char **found)
{
    if (settings.debuginfod)
        return dwfl_standard_find_debuginfo(module, data, name, base, file, link, checksum, found);
    int opened =
        dwfl_build_id_find_debuginfo(module, data, name, base, file, link, checksum, found);
    return opened < 0 && file && link ? open_link(module, file, link, checksum, found) : opened;
}

/* --- a module --------------------------------------------------------------------------- */

static Dwfl *begin(void)
{
    static const Dwfl_Callbacks callbacks = {
        .find_elf = dwfl_build_id_find_elf,
        .find_debuginfo = find_apart,
        .debuginfo_path = &settings.path_pointer,
    };
    return dwfl_begin(&callbacks);
}

Dwfl *debug_files_live(void)
{
    static const Dwfl_Callbacks callbacks = {
        .find_elf = dwfl_linux_proc_find_elf,
        .find_debuginfo = find_apart,
        .debuginfo_path = &settings.path_pointer,
    };
    return dwfl_begin(&callbacks);
}

static bool same_build(Dwfl_Module *found, const char *wanted)
{
    const unsigned char *bits;
    GElf_Addr address, bias;
    char text[132] = "-";
    if (!dwfl_module_getelf(found, &bias))
        return false;
    int size = dwfl_module_build_id(found, &bits, &address);
    for (int i = 0; i < size && i < 64; i++)
        snprintf(text + 2 * i, 3, "%02x", bits[i]);
    return strcmp(text, wanted) == 0;
}

static bool open_file(struct debug_file *file, const char *path, const char *id, uint64_t bias)
{
    file->dwfl = begin();
    if (!file->dwfl)
        return false;
    dwfl_report_begin(file->dwfl);
    int opened = files_open_linked(path); /* a trace may name a device */
    file->module =
        opened >= 0 ? dwfl_report_elf(file->dwfl, path, path, opened, bias, false) : NULL;
    if (opened >= 0 && !file->module)
        close(opened);
    dwfl_report_end(file->dwfl, NULL, NULL);
    if (file->module && same_build(file->module, id))
        return true;
    debug_file_close(file);
    return false;
}

/* The debug file has the module's addresses, names and lines, if not its code. */
static bool open_by_id(struct debug_file *file, const char *id, uint64_t bias)
{
    char directory[PATH_MAX], path[PATH_MAX + 160];
    for (const char *at = settings.path; next_directory(&at, directory, sizeof directory);) {
        snprintf(path, sizeof path, "%s/.build-id/%.2s/%s.debug", directory, id, id + 2);
        if (*directory == '/' && access(path, R_OK) == 0 && open_file(file, path, id, bias))
            return true;
    }
    return false;
}

bool debug_file_open(struct debug_file *file, const char *path, const char *id, uint64_t bias)
{
    *file = (struct debug_file){0};
    return open_file(file, path, id, bias) || (strlen(id) > 4 && open_by_id(file, id, bias));
}

void debug_file_close(struct debug_file *file)
{
    if (file->dwfl)
        dwfl_end(file->dwfl);
    *file = (struct debug_file){0};
}
