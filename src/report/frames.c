/* SPDX-License-Identifier: MIT */
#include "report/frames.h"

#include "base/memory.h"
#include "report/short_name.h"
#include "symbols/debug_places.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The C++ library has the demangler. It is looked for when a C++ name first comes
 * along: preplay itself is C and does not need it. */
typedef char *demangler(const char *name, char *buffer, size_t *length, int *status);

static demangler *find_demangler(void)
{
    void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
    return library ? (demangler *)dlsym(library, "__cxa_demangle") : NULL;
}

static bool in_name(char character)
{
    return isalnum((unsigned char)character) || (character && strchr("_.$", character));
}

/* Of the first `length` bytes of a name; NULL if they are no C++ name. */
static char *demangle_part(const char *name, size_t length)
{
    int status = -1;
    char *part = memory_zero(length + 1, 1);
    memcpy(part, name, length);
    demangler *found = find_demangler();
    char *text = found ? found(part, NULL, NULL, &status) : NULL;
    free(part);
    if (!text || !status)
        return text;
    free(text);
    return NULL;
}

/* What follows the name itself, such as "+16" or ".height", stays: a variable ends at its first
 * point, a function may have one in its name ("f.constprop.0"). */
char *demangle(const char *name)
{
    size_t length = 0, symbol = strcspn(name, ".");
    if (strncmp(name, "_Z", 2) != 0)
        return memory_copy(name, strlen(name) + 1);
    while (in_name(name[length]))
        length++;
    if (symbol > length)
        symbol = length;
    char *text = demangle_part(name, symbol);
    if (!text || strchr(text, '(')) {
        char *function = demangle_part(name, length);
        if (function) {
            free(text);
            text = function;
            symbol = length;
        }
    }
    if (!text)
        return memory_copy(name, strlen(name) + 1);
    size_t most = strlen(text) + strlen(name + symbol) + 1;
    char *whole = memory_alloc(most, 1);
    snprintf(whole, most, "%s%s", text, name + symbol);
    free(text);
    return whole;
}

char *demangle_short(const char *name)
{
    char *full = demangle(name), *text = short_name(full);
    free(full);
    return text;
}

char *demangle_all(const char *text)
{
    char *whole = NULL;
    size_t length;
    FILE *out = open_memstream(&whole, &length);
    for (const char *at = text; *at;) {
        size_t size = 1;
        while (in_name(at[0]) && in_name(at[size]))
            size++;
        char *word = memory_zero(size + 1, 1);
        memcpy(word, at, size);
        char *readable = demangle_short(word);
        fputs(readable, out);
        free(readable);
        free(word);
        at += size;
    }
    fclose(out);
    return whole;
}

/* What calls main() and threads' first functions tells a reader nothing. */
static bool is_start(const char *function)
{
    static const char *const names[] = {
        "__libc_start_call_main", "__libc_start_main", "_start", "start_thread", "clone", "clone3",
        "preplay_run_thread",     "preplay_run_c11"};
    for (size_t i = 0; function && i < sizeof names / sizeof *names; i++)
        if (strcmp(function, names[i]) == 0)
            return true;
    return false;
}

/* "worker+0x9" says which function it is. */
static bool says_function(const char *place, const char *function)
{
    size_t length = strlen(function);
    return strncmp(place, function, length) == 0 && place[length] == '+';
}

/* Nor does our own code, that lies between a pthread_once() and the routine it calls. */
static bool is_in(const struct trace *trace, uint32_t location, const char *beginning)
{
    const char *module;
    uint64_t offset;
    return trace_code(trace, location, &module, &offset) &&
           strncmp(place_base(module), beginning, strlen(beginning)) == 0;
}

static bool is_runtime(const struct trace *trace, uint32_t location)
{
    return is_in(trace, location, "libpreplay") || is_in(trace, location, "libtsan.so") ||
           is_in(trace, location, "vgpreload_preplay");
}

static bool is_library(const struct trace *trace, uint32_t location, const char *place)
{
    return debug_place_is_library(place) || is_in(trace, location, "libstdc++.so") ||
           is_in(trace, location, "libgomp.so");
}

/* The inlined frames of one location; false at what calls main() or a thread. */
static bool add_frames(struct frame frames[FRAMES_MOST], size_t *count, const struct trace *trace,
                       uint32_t location)
{
    const char *function, *place;
    for (uint32_t i = 0; *count < FRAMES_MOST && trace_frame(trace, location, i, &function, &place);
         i++) {
        if (*count && is_start(function))
            return false;
        if (*count && is_runtime(trace, location))
            return true;
        bool named = function && !says_function(place, function);
        frames[*count].library = is_library(trace, location, place);
        frames[*count].function = named ? demangle(function) : NULL;
        frames[(*count)++].place = place;
    }
    return *count < FRAMES_MOST;
}

size_t frames_collect(struct frame frames[FRAMES_MOST], const struct trace *trace,
                      uint32_t location, uint32_t stack)
{
    size_t count = 0;
    while (add_frames(frames, &count, trace, location) &&
           trace_caller(trace, stack, &location, &stack))
        ;
    return count;
}

size_t frames_own(const struct frame *frames, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!frames[i].library)
            return i;
    return 0;
}

void frame_own(const struct trace *trace, uint32_t location, uint32_t stack, const char **function,
               const char **place)
{
    uint32_t at = location;
    do
        for (uint32_t i = 0; trace_frame(trace, at, i, function, place); i++)
            if (!is_library(trace, at, *place) && !is_runtime(trace, at) && !is_start(*function))
                return;
    while (trace_caller(trace, stack, &at, &stack));
    trace_frame(trace, location, 0, function, place);
}

void frames_free(struct frame *frames, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(frames[i].function);
}

/* The number that ends at `end` and follows a colon; moves `end` before the colon. */
static bool number_before(const char *text, size_t *end, unsigned *number)
{
    size_t start = *end;
    while (start > 0 && isdigit((unsigned char)text[start - 1]))
        start--;
    if (start == *end || start < 2 || text[start - 1] != ':')
        return false;
    *number = (unsigned)strtoul(text + start, NULL, 10);
    *end = start - 1;
    return true;
}

unsigned place_line(const char *place, size_t *path_length)
{
    size_t end = strlen(place);
    unsigned last = 0, before = 0;
    *path_length = end;
    if (!number_before(place, &end, &last))
        return 0;
    *path_length = end;
    if (!number_before(place, &end, &before))
        return last;
    *path_length = end;
    return before;
}

unsigned place_column(const char *place)
{
    size_t end = strlen(place);
    unsigned last = 0, before = 0;
    return number_before(place, &end, &last) && number_before(place, &end, &before) ? last : 0;
}

const char *place_base(const char *place)
{
    const char *slash = strrchr(place, '/');
    return slash ? slash + 1 : place;
}
