/* SPDX-License-Identifier: MIT */
#include "runtime/front.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>

static bool begins(const char *text, const char *word)
{
    while (*word && *text == *word)
        text++, word++;
    return !*word;
}

static const char *strings_of(const struct dl_phdr_info *info, const ElfW(Dyn) * entry)
{
    for (; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_STRTAB) /* relocated by the loader, but for some (the vdso) */
            return (const char *)(entry->d_un.d_ptr < info->dlpi_addr
                                      ? info->dlpi_addr + entry->d_un.d_ptr
                                      : entry->d_un.d_ptr);
    return NULL;
}

bool front_is_needed_by(const struct dl_phdr_info *info)
{
    const ElfW(Dyn) *entry = NULL;
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            entry = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    const char *strings = entry ? strings_of(info, entry) : NULL;
    for (; strings && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_NEEDED && (begins(strings + entry->d_un.d_val, "libpreplay.so") ||
                                          begins(strings + entry->d_un.d_val, "libtsan.so")))
            return true;
    return false;
}

static int needs_us(struct dl_phdr_info *info, size_t size, void *argument)
{
    (void)size, (void)argument;
    return front_is_needed_by(info);
}

bool front_is_wanted(void)
{
    const char *preloaded = getenv("PREPLAY_FRONT");
    return !preloaded || !*preloaded || dl_iterate_phdr(needs_us, NULL);
}

/* Whoever else stands in front of us passes calls on, sooner or later to us. */
const char *front_missed(void)
{
    static const char *const names[] = {"pthread_create",
                                        "pthread_join",
                                        "pthread_mutex_lock",
                                        "pthread_mutex_unlock",
                                        "pthread_cond_signal",
                                        "pthread_rwlock_wrlock",
                                        "pthread_once",
                                        "sem_wait",
                                        "sem_post",
                                        "pthread_barrier_wait"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        void *next = dlsym(RTLD_NEXT, names[i]);
        if (!next || next == dlsym(RTLD_DEFAULT, names[i]))
            return names[i];
    }
    return NULL;
}
