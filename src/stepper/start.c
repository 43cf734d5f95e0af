/* SPDX-License-Identifier: MIT */
/* Where stepping begins and ends in a process. */
#include "stepper/copies.h"
#include "stepper/real.h"
#include "stepper/steps.h"

#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* strncmp() is ours, and a step. */
static bool begins_with(const char *name, const char *with)
{
    while (*with && *name == *with) {
        name++;
        with++;
    }
    return !*with;
}

void *real_find(const char *name)
{
    void *found =
        begins_with(name, "pthread_cond_") ? dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2") : NULL;
    return found ? found : dlsym(RTLD_NEXT, name);
}

/* --- the load map, as symbols.h reads it --------------------------------------------------------
 */

static void write_build_id(FILE *file, const struct dl_phdr_info *info, const ElfW(Phdr) * part)
{
    const char *at = (const char *)info->dlpi_addr + part->p_vaddr, *end = at + part->p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
        const ElfW(Nhdr) *note = (const void *)at;
        const unsigned char *id =
            (const unsigned char *)at + sizeof *note + ((note->n_namesz + 3u) & ~3u);
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4) {
            for (unsigned i = 0; i < note->n_descsz; i++)
                fprintf(file, "%02x", id[i]);
            return;
        }
        at = (const char *)id + ((note->n_descsz + 3u) & ~3u);
    }
}

static int write_module(struct dl_phdr_info *info, size_t size, void *context)
{
    FILE *file = context;
    uintptr_t low = UINTPTR_MAX, high = 0;
    const ElfW(Phdr) *notes = NULL;
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_NOTE && part->p_align <= 4)
            notes = part;
        if (part->p_type != PT_LOAD)
            continue;
        low = start < low ? start : low;
        high = start + part->p_memsz > high ? start + part->p_memsz : high;
    }
    char program[4096] = "";
    if (!*info->dlpi_name && readlink("/proc/self/exe", program, sizeof program - 1) < 0)
        return 0;
    fprintf(file, "%lx %lx %lx ", low, high, (unsigned long)info->dlpi_addr);
    if (notes)
        write_build_id(file, info, notes);
    else
        fputc('-', file);
    fprintf(file, " %s\n", *info->dlpi_name ? info->dlpi_name : program);
    return 0;
}

static void write_modules(void)
{
    const char *path = getenv(STEPPER_MODULES);
    FILE *file = path && *path ? fopen(path, "we") : NULL;
    if (!file)
        return;
    dl_iterate_phdr(write_module, file);
    fclose(file);
}

/* --- the C library's own code --------------------------------------------------------------------
 */

static uintptr_t library_low, library_high;

static int find_library(struct dl_phdr_info *info, size_t size, void *context)
{
    uintptr_t low = UINTPTR_MAX, high = 0, inside = (uintptr_t)context;
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD)
            continue;
        low = start < low ? start : low;
        high = start + part->p_memsz > high ? start + part->p_memsz : high;
    }
    if (inside < low || inside >= high)
        return 0;
    library_low = low;
    library_high = high;
    return 1;
}

bool step_is_library(uintptr_t pc)
{
    return pc >= library_low && pc < library_high;
}

/* --- begin and end ------------------------------------------------------------------------------
 */

static void note_child(void)
{
    if (stepper)
        stepper->unknown |= STEP_BY_PROCESSES;
}

/* A child is no part of what is explored. */
static void forget(void)
{
    stepper = NULL;
}

static struct stepper_page *map_page(void)
{
    const char *number = getenv(STEPPER_VARIABLE);
    if (!number || !*number)
        return NULL;
    int file = atoi(number);
    void *page =
        mmap(NULL, sizeof(struct stepper_page), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    fcntl(file, F_SETFD, FD_CLOEXEC);
    return page == MAP_FAILED ? NULL : page;
}

/* Under a debugger, which needs its own. */
static void take_input(void)
{
    const char *path = getenv(STEPPER_INPUT);
    int file = path && *path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    dup2(file, STDIN_FILENO);
    close(file);
}

/* Programs that this one starts are not stepped, and do not know of it. */
static void hide(void)
{
    unsetenv(STEPPER_VARIABLE);
    unsetenv(STEPPER_MODULES);
    unsetenv(STEPPER_INPUT);
    unsetenv("LD_PRELOAD");
}

__attribute__((constructor)) static void start(void)
{
    struct stepper_page *page = map_page();
    uint32_t nobody = 0;
    if (!page || page->magic != STEPPER_MAGIC || page->version != STEPPER_VERSION ||
        !__atomic_compare_exchange_n(&page->process, &nobody, (uint32_t)getpid(), false,
                                     __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return;
    write_modules();
    take_input();
    dl_iterate_phdr(find_library, dlsym(RTLD_NEXT, "gnu_get_libc_version"));
    copies_make();
    page->process = (uint32_t)getpid();
    hide();
    pthread_atfork(note_child, NULL, forget);
    stepper = page;
    struct stepped *self = step_new(NULL);
    self->pthread = pthread_self();
    self->task = gettid();
    stepped_self = self;
}

/* The end of the process is a step, too: other threads may go first. */
__attribute__((destructor)) static void stop(void)
{
    struct stepped *self = stepped_current();
    if (self) {
        struct step_event event = {.op = STEP_END, .made = 1};
        step_before(self, &event);
        step_tell(self, event);
        self->inside = true;
    }
    if (stepper) {
        step_trap(STEP_TRAP_END);
        stepper->end = STEP_EXITED;
    }
}
