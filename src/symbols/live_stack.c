/* SPDX-License-Identifier: MIT */
#include "symbols/live_stack.h"

#include "base/memory.h"
#include "symbols/debug_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct walk {
    Dwfl *dwfl;
    struct live_frame *frames;
    size_t count;
};

static char *text_of(const char *text)
{
    return memory_copy(text, strlen(text) + 1);
}

static bool is_one_of(const char *module, const char *const *names)
{
    const char *base = module ? strrchr(module, '/') : NULL;
    base = base ? base + 1 : module;
    for (; base && *names; names++)
        if (strncmp(base, *names, strlen(*names)) == 0)
            return true;
    return false;
}

static bool is_recorder(const char *module)
{
    static const char *const names[] = {"libpreplay", "libtsan", NULL};
    return is_one_of(module, names);
}

static bool is_library(const char *module)
{
    static const char *const names[] = {"libc.so",   "libc-",     "ld-",   "libpthread", "libm.so",
                                        "libstdc++", "libgcc_s.", "[vdso", "linux-vdso", NULL};
    return !module || is_one_of(module, names);
}

static char *place_of(Dwfl_Module *module, const char *name, Dwarf_Addr pc)
{
    int line = 0, column = 0;
    Dwfl_Line *found = module ? dwfl_module_getsrc(module, pc) : NULL;
    const char *file = found ? dwfl_lineinfo(found, NULL, &line, &column, NULL, NULL) : NULL;
    if (!file || !line)
        return text_of(name ? name : "?");
    const char *directory = file[0] == '/' ? NULL : dwfl_line_comp_dir(found);
    size_t room = strlen(file) + (directory ? strlen(directory) : 0) + 32;
    char *place = memory_alloc(room, 1);
    int length = snprintf(place, room, "%s%s%s:%d", directory ? directory : "",
                          directory ? "/" : "", file, line);
    if (column)
        snprintf(place + length, room - (size_t)length, ":%d", column);
    return place;
}

static int visit(Dwfl_Frame *frame, void *context)
{
    struct walk *walk = context;
    Dwarf_Addr pc;
    bool activation;
    if (walk->count == LIVE_FRAMES || !dwfl_frame_pc(frame, &pc, &activation))
        return DWARF_CB_ABORT;
    if (!activation)
        pc--; /* of the call, not of what comes after it */
    Dwfl_Module *module = dwfl_addrmodule(walk->dwfl, pc);
    const char *file = NULL, *name = NULL;
    if (module) {
        dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, &file, NULL);
        if (!file)
            file = dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
        name = dwfl_module_addrname(module, pc);
    }
    /* A handler that waits for us, and the signal that brought it there, are not the program's. */
    if (name && strcmp(name, "__restore_rt") == 0) {
        live_stack_free(walk->frames, walk->count);
        walk->count = 0;
        return DWARF_CB_OK;
    }
    if (is_recorder(file))
        return DWARF_CB_OK;
    walk->frames[walk->count++] = (struct live_frame){
        .function = name ? text_of(name) : NULL,
        .place = place_of(module, file, pc),
        .own = !is_library(file),
    };
    return DWARF_CB_OK;
}

size_t live_stack(pid_t process, pid_t thread, struct live_frame frames[LIVE_FRAMES])
{
    struct walk walk = {.frames = frames, .dwfl = debug_files_live()};
    if (!walk.dwfl)
        return 0;
    if (dwfl_linux_proc_report(walk.dwfl, process) == 0 &&
        dwfl_report_end(walk.dwfl, NULL, NULL) == 0 &&
        dwfl_linux_proc_attach(walk.dwfl, process, false) == 0)
        dwfl_getthread_frames(walk.dwfl, thread, visit, &walk);
    dwfl_end(walk.dwfl);
    return walk.count;
}

void live_stack_free(struct live_frame *frames, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(frames[i].function);
        free(frames[i].place);
    }
}
