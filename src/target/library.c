/* SPDX-License-Identifier: MIT */
#include "target/library.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool has_library(const char *directory)
{
    char path[LIBRARY_PATH + 32];
    snprintf(path, sizeof path, "%s/libpreplay.so", directory);
    return access(path, R_OK) == 0;
}

int library_directory(char path[LIBRARY_PATH], struct error *error)
{
    static const char *const places[] = {"src/runtime", "../" PREPLAY_LIBDIR "/preplay",
                                         "../lib/preplay", "../lib/x86_64-linux-gnu/preplay", "."};
    const char *chosen = getenv("PREPLAY_LIBRARY");
    if (chosen && *chosen) {
        snprintf(path, LIBRARY_PATH, "%s", chosen);
        if (has_library(path))
            return 0;
        return error_set(error, ERROR_INTERNAL, "PREPLAY_LIBRARY: no libpreplay.so in %s", chosen);
    }
    char self[LIBRARY_PATH - 64];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length > 0) {
        self[length] = '\0';
        char *slash = strrchr(self, '/');
        if (slash)
            *slash = '\0';
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            snprintf(path, LIBRARY_PATH, "%s/%s", self, places[i]);
            if (has_library(path))
                return 0;
        }
    }
    return error_set(error, ERROR_INTERNAL,
                     "libpreplay.so is not where it should be (next to the tool, or in "
                     "../lib/preplay); set PREPLAY_LIBRARY to its directory");
}

/* --- programs -------------------------------------------------------------- */

static void inspect_needed(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                           struct program_kind *kind)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
    for (size_t i = 0; i < count; i++) {
        GElf_Dyn entry;
        if (!gelf_getdyn(data, (int)i, &entry) || entry.d_tag != DT_NEEDED)
            continue;
        const char *name = elf_strptr(elf, header->sh_link, entry.d_un.d_val);
        if (name && strncmp(name, "libtsan.so", 10) == 0)
            kind->wants_libtsan = true;
        if (name && strncmp(name, "libasan.so", 10) == 0)
            kind->wants_libasan = true;
        if (name && strncmp(name, "libpreplay.so", 13) == 0)
            kind->wants_preplay = true;
        if (name && (strncmp(name, "libc.musl-", 10) == 0 || strcmp(name, "libc.so") == 0))
            kind->wants_musl = true;
    }
}

static void inspect_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                            struct program_kind *kind)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
    for (size_t i = 0; i < count && !kind->static_runtime; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx == SHN_UNDEF)
            continue;
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        kind->static_runtime = name && strcmp(name, "__tsan_init") == 0;
    }
}

static void inspect(Elf *elf, struct program_kind *kind)
{
    GElf_Ehdr start;
    kind->is_elf = true;
    kind->is_foreign = !gelf_getehdr(elf, &start) || start.e_ident[EI_CLASS] != ELFCLASS64 ||
                       start.e_machine != EM_X86_64;
    if (kind->is_foreign)
        return;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header))
            continue;
        if (header.sh_type == SHT_DYNAMIC) {
            kind->is_dynamic = true;
            inspect_needed(elf, section, &header, kind);
        }
        if (header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB)
            inspect_symbols(elf, section, &header, kind);
    }
}

bool program_path(const char *name, char path[LIBRARY_PATH])
{
    const char *places = getenv("PATH");
    if (strchr(name, '/')) {
        snprintf(path, LIBRARY_PATH, "%s", name);
        return access(path, F_OK) == 0;
    }
    for (const char *at = places ? places : "/bin:/usr/bin"; *at;) {
        size_t length = strcspn(at, ":");
        snprintf(path, LIBRARY_PATH, "%.*s/%s", (int)length, at, name);
        if (access(path, X_OK) == 0)
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

bool program_inspect(const char *name, struct program_kind *kind)
{
    *kind = (struct program_kind){0};
    char path[LIBRARY_PATH];
    int file = program_path(name, path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return false;
    struct stat status;
    kind->changes_user =
        fstat(file, &status) == 0 && ((status.st_mode & S_ISUID && status.st_uid != geteuid()) ||
                                      (status.st_mode & S_ISGID && status.st_gid != getegid()));
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(file, ELF_C_READ, NULL);
    if (elf && elf_kind(elf) == ELF_K_ELF)
        inspect(elf, kind);
    elf_end(elf);
    close(file);
    return true;
}
