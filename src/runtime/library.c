/* SPDX-License-Identifier: MIT */
#include "runtime/library.h"

#include <dlfcn.h>

void *library_find(const char *name, const char *library)
{
    void *found = dlsym(RTLD_NEXT, name), *loaded = NULL;
    if (!found)
        loaded = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (loaded) {
        found = dlsym(loaded, name);
        dlclose(loaded);
    }
    return found;
}

void library_block(unsigned op, const void *start, size_t size, uintptr_t pc)
{
    struct recorder *self = recorder_self();
    struct sync_record record = {
        .op = (uint8_t)op, .object = (uintptr_t)start, .other = size, .pc = pc};
    if (!self || self->busy || !start)
        return;
    if (op == EVENT_ALLOC)
        filter_forget(self, (uintptr_t)start, size);
    sync_note(self, &record);
}
