/* SPDX-License-Identifier: MIT */
/* The sprintf family writes to the program's memory. Which strings it reads on the way is
 * not followed. Each form comes with the values listed or as a va_list, and each of those
 * with bounds that the compiler knows (_chk). */
#include "runtime/process.h"
#include "runtime/ranges.h"
#include "runtime/real.h"

#define FUNCTION(result, name, parameters)                                                         \
    EXPORT result name parameters;                                                                 \
    EXPORT result name parameters

static int written(char *to, size_t room, int length, uintptr_t pc)
{
    if (length >= 0 && room)
        range_write(to, (size_t)length < room ? (size_t)length + 1 : room, pc);
    return length;
}

#define FORMAT(name, list_name, limit, arguments, ...)                                             \
    FUNCTION(int, list_name, (__VA_ARGS__, va_list values))                                        \
    {                                                                                              \
        return written(to, limit, REAL(list_name) arguments, CALLER);                              \
    }                                                                                              \
    FUNCTION(int, name, (__VA_ARGS__, ...))                                                        \
    {                                                                                              \
        va_list values;                                                                            \
        va_start(values, text);                                                                    \
        int length = written(to, limit, REAL(list_name) arguments, CALLER);                        \
        va_end(values);                                                                            \
        return length;                                                                             \
    }

FORMAT(snprintf, vsnprintf, size, (to, size, text, values), char *to, size_t size, const char *text)
FORMAT(sprintf, vsprintf, SIZE_MAX, (to, text, values), char *to, const char *text)
FORMAT(__snprintf_chk, __vsnprintf_chk, size, (to, size, flag, room, text, values), char *to,
       size_t size, int flag, size_t room, const char *text)
FORMAT(__sprintf_chk, __vsprintf_chk, SIZE_MAX, (to, flag, room, text, values), char *to, int flag,
       size_t room, const char *text)
