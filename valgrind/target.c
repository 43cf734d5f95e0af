/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The target's side of the Valgrind tool: linked, with the runtime, into the object
 * that Valgrind preloads into the program. */
#include "runtime/enforce.h"
#include "runtime/host.h"

#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SWITCH_STANDARD = 32 };

/* Before one in so many synchronisation operations its thread gives up the processor;
 * 0: never. */
static unsigned switch_every = SWITCH_STANDARD;

/* The atomic variables, and the code of atomic operations, that preplay found in the program's
 * debug information; their addresses are those of the file. */
static int mark_atomics(struct dl_phdr_info *program, size_t size, void *unused)
{
    (void)size, (void)unused;
    const char *path = getenv("PREPLAY_ATOMICS");
    FILE *file = path ? fopen(path, "re") : NULL;
    static char program_of_list[PATH_MAX + 2], self[PATH_MAX]; /* once, before main() */
    unsigned long address, length;
    bool ours = file && fgets(program_of_list, sizeof program_of_list, file) &&
                realpath("/proc/self/exe", self) &&
                strncmp(program_of_list, self, strlen(self)) == 0 &&
                program_of_list[strlen(self)] == '\n';
    while (ours && fscanf(file, "%lx %lx", &address, &length) == 2)
        host_ask(HOST_ATOMIC, program->dlpi_addr + address, length);
    while (ours && fscanf(file, " @ %lx %lx", &address, &length) == 2)
        host_ask(HOST_ATOMIC_CODE, program->dlpi_addr + address, program->dlpi_addr + length);
    if (file)
        fclose(file);
    return 1; /* the first is the program itself */
}

bool host_begin(void)
{
    struct host_places places = {.version = HOST_VERSION,
                                 .recorder_size = sizeof(struct recorder),
                                 .block = &process,
                                 .slots = stamp_slots,
                                 .gate = enforce_active ? host_gate_address() : 0};
    const char *every = getenv("PREPLAY_SWITCH");
    if (every)
        switch_every = (unsigned)strtoul(every, NULL, 10);
    if (host_ask(HOST_PROCESS, (uintptr_t)&places, 0)) {
        dl_iterate_phdr(mark_atomics, NULL);
        return true;
    }
    process_complain("not recording", "runtime and Valgrind tool are not of one build");
    return false;
}

/* Valgrind lets a thread run for 100,000 blocks of code, which is longer than many
 * threads live. Every N-th operation on average, not on the dot: a loop of N operations
 * would always be interrupted at the same one, such as the unlock, where nobody else
 * can go on. A replay says itself who runs when. */
void host_switch(void)
{
    static uint32_t random = 1;
    if (enforce_active || !switch_every)
        return;
    random = random * 1664525 + 1013904223; /* Valgrind runs one thread at a time */
    if ((uint64_t)random * switch_every >> 32 == 0)
        system_yield();
}

bool host_records(uintptr_t pc)
{
    return host_ask(HOST_IS_RECORDED, pc, 0);
}

void modules_note(uintptr_t pc)
{
    if (pc)
        host_ask(HOST_MODULE, pc, 0);
}

void modules_reset(void)
{
    host_ask(HOST_MODULE, 0, 0);
}
