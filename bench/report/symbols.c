/* SPDX-License-Identifier: MIT */
/* Symbolises addresses of a program as a report does: symbols PROGRAM < ADDRESSES, one
 * hexadecimal address a line. Prints every frame, as addr2line -f -i does, and last to
 * stderr the seconds it took. */
#include "symbols/symbols.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* A load map of one module that was loaded at its own addresses. */
static void write_modules(FILE *out, const char *program)
{
    elf_version(EV_CURRENT);
    int file = open(program, O_RDONLY | O_CLOEXEC);
    Elf *elf = elf_begin(file, ELF_C_READ, NULL);
    const unsigned char *id;
    ssize_t size = dwelf_elf_gnu_build_id(elf, (const void **)&id);
    fprintf(out, "0 ffffffff 0 ");
    for (ssize_t i = 0; i < size; i++)
        fprintf(out, "%02x", id[i]);
    fprintf(out, "%s %s\n", size > 0 ? "" : "-", program);
    elf_end(elf);
    close(file);
}

int main(int argc, char **argv)
{
    char path[] = "/tmp/preplay-modules-XXXXXX";
    int file = mkstemp(path);
    FILE *out = file < 0 ? NULL : fdopen(file, "w");
    if (argc != 2 || !out)
        return 2;
    write_modules(out, argv[1]);
    fclose(out);
    double start = now();
    struct symbols *symbols = symbols_open(path);
    char line[64];
    while (fgets(line, sizeof line, stdin)) {
        const char *function, *place;
        uint64_t pc = strtoull(line, NULL, 16) + 1; /* as a call returns to it */
        for (uint32_t i = 0; symbols_frame(symbols, pc, i, &function, &place); i++)
            printf("%s\n%s\n", function ? function : "??", place);
    }
    symbols_close(symbols);
    fprintf(stderr, "%.3f\n", now() - start);
    unlink(path);
    return 0;
}
