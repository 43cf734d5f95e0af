/* SPDX-License-Identifier: MIT */
#include "runtime/streams.h"

#include "runtime/channels.h"
#include "runtime/descriptors.h"
#include "runtime/edges.h"
#include "runtime/numbers.h"
#include "runtime/real.h"
#include "runtime/recorder.h"

#include <errno.h>

enum { STREAMS = 256 };

/* Those that fdopen() made of something that orders. All others cost nothing but a look at
 * their number. */
static _Atomic(FILE *) streams[STREAMS];
static _Atomic unsigned count;

static bool is_channel(int descriptor)
{
    enum descriptor_kind kind = descriptor_look(descriptor).kind;
    return kind == DESCRIPTOR_PIPE || kind == DESCRIPTOR_STREAM || kind == DESCRIPTOR_COUNTER;
}

static _Atomic(FILE *) *find(FILE *file)
{
    for (unsigned i = 0; i < STREAMS; i++)
        if (atomic_load_explicit(&streams[i], memory_order_relaxed) == file)
            return &streams[i];
    return NULL;
}

static bool is_watched(FILE *file)
{
    return file && atomic_load_explicit(&count, memory_order_relaxed) && recorder_current &&
           find(file);
}

void stream_output(FILE *file, uintptr_t pc)
{
    if (is_watched(file))
        channel_send(fileno(file), pc);
}

void stream_input(FILE *file, int ended, uintptr_t pc)
{
    if (!is_watched(file))
        return;
    int saved = errno;
    if (!ended || feof(file))
        channel_receive(fileno(file), NULL, !ended, pc);
    errno = saved;
}

static void add(FILE *file)
{
    for (unsigned i = 0; i < STREAMS; i++) {
        FILE *none = NULL;
        if (atomic_compare_exchange_strong(&streams[i], &none, file)) {
            atomic_fetch_add(&count, 1);
            return;
        }
    }
}

#define FUNCTION(result, name, parameters)                                                         \
    EXPORT result name parameters;                                                                 \
    EXPORT result name parameters

FUNCTION(FILE *, fdopen, (int descriptor, const char *mode))
{
    FILE *file = REAL(fdopen)(descriptor, mode);
    if (file && recorder_current && is_channel(descriptor))
        add(file);
    return file;
}

FUNCTION(int, fclose, (FILE * file))
{
    _Atomic(FILE *) *place = is_watched(file) ? find(file) : NULL;
    if (place) {
        stream_output(file, CALLER);
        channel_close(fileno(file), CALLER);
        atomic_store(place, NULL);
        atomic_fetch_sub(&count, 1);
    } else {
        edge_hold();
        number_goes(fileno(file), CALLER);
    }
    int result = REAL(fclose)(file);
    channel_closed();
    return result;
}

#define INPUT(name)                                                                                \
    FUNCTION(int, name, (FILE * file))                                                             \
    {                                                                                              \
        int got = REAL(name)(file);                                                                \
        stream_input(file, got == EOF, CALLER);                                                    \
        return got;                                                                                \
    }
INPUT(fgetc)
INPUT(getc)
INPUT(_IO_getc)

#define OUTPUT(name)                                                                               \
    FUNCTION(int, name, (int byte, FILE *file))                                                    \
    {                                                                                              \
        stream_output(file, CALLER);                                                               \
        return REAL(name)(byte, file);                                                             \
    }
OUTPUT(fputc)
OUTPUT(putc)
OUTPUT(_IO_putc)

FUNCTION(int, fflush, (FILE * file))
{
    stream_output(file, CALLER);
    return REAL(fflush)(file);
}

/* --- formatted --------------------------------------------------------------------- */

#define WITH_ARGUMENTS(last, call)                                                                 \
    ({                                                                                             \
        va_list arguments;                                                                         \
        va_start(arguments, last);                                                                 \
        int with_result = call;                                                                    \
        va_end(arguments);                                                                         \
        with_result;                                                                               \
    })

FUNCTION(int, vfprintf, (FILE * file, const char *format, va_list arguments))
{
    stream_output(file, CALLER);
    return REAL(vfprintf)(file, format, arguments);
}

FUNCTION(int, fprintf, (FILE * file, const char *format, ...))
{
    stream_output(file, CALLER);
    return WITH_ARGUMENTS(format, REAL(vfprintf)(file, format, arguments));
}

FUNCTION(int, __vfprintf_chk, (FILE * file, int level, const char *format, va_list arguments))
{
    stream_output(file, CALLER);
    return REAL(__vfprintf_chk)(file, level, format, arguments);
}

FUNCTION(int, __fprintf_chk, (FILE * file, int level, const char *format, ...))
{
    stream_output(file, CALLER);
    return WITH_ARGUMENTS(format, REAL(__vfprintf_chk)(file, level, format, arguments));
}

FUNCTION(int, __isoc99_vfscanf, (FILE * file, const char *format, va_list arguments))
{
    int got = REAL(__isoc99_vfscanf)(file, format, arguments);
    stream_input(file, got == EOF, CALLER);
    return got;
}

FUNCTION(int, __isoc99_fscanf, (FILE * file, const char *format, ...))
{
    int got = WITH_ARGUMENTS(format, REAL(__isoc99_vfscanf)(file, format, arguments));
    stream_input(file, got == EOF, CALLER);
    return got;
}

FUNCTION(int, vdprintf, (int descriptor, const char *format, va_list arguments))
{
    channel_send(descriptor, CALLER);
    return REAL(vdprintf)(descriptor, format, arguments);
}

FUNCTION(int, dprintf, (int descriptor, const char *format, ...))
{
    channel_send(descriptor, CALLER);
    return WITH_ARGUMENTS(format, REAL(vdprintf)(descriptor, format, arguments));
}
