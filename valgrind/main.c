/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Valgrind asks of a tool, and which recorder belongs to the running thread. */
#include "tool.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"

#include "forks.h"
#include "instrument.h"

__typeof__(process) *host_process;
struct slot *host_slots;

static struct recorder **recorders; /* by thread */

static void start_running(ThreadId thread, ULong blocks)
{
    (void)blocks;
    tool_current = recorders[thread];
}

/* A thread's accesses up to here come before those of whoever runs next. If it was
 * stopped between taking a stamp and writing its record, the record will say so. */
static void stop_running(ThreadId thread, ULong blocks)
{
    (void)thread, (void)blocks;
    struct recorder *self = tool_current;
    tool_current = NULL;
    if (!self || !self->tick || self->stamper.clock != self->last_stamp || !process_recording() ||
        !recorder_enter(self))
        return;
    uint64_t stamp = stamp_above(&self->stamper, 0);
    if (stream_room(self) && self->last_stamp < stamp)
        write_chunk_end(self, stamp);
    recorder_leave(self);
}

struct recorder *tool_recorder(ThreadId thread)
{
    return recorders[thread];
}

void recorders_forget(void)
{
    for (ThreadId thread = 0; thread < VG_N_THREADS; thread++)
        recorders[thread] = NULL;
    tool_current = NULL;
}

static void end_thread(ThreadId thread)
{
    recorders[thread] = NULL;
}

static bool meet(const struct host_places *places)
{
    if (places->version != HOST_VERSION || places->recorder_size != sizeof(struct recorder))
        return false;
    host_process = places->block;
    host_slots = places->slots;
    tool_values = host_process->values;
    tool_gate = places->gate;
    return true;
}

static Bool handle_request(ThreadId thread, UWord *words, UWord *result)
{
    *result = 0;
    switch (words[0]) {
    case HOST_PROCESS:
        *result = meet((const struct host_places *)words[1]);
        return True;
    case HOST_RECORDER:
        recorders[thread] = tool_current = (struct recorder *)words[1];
        return True;
    case HOST_MODULE:
        if (words[1])
            modules_note(words[1]);
        else
            modules_forget();
        return True;
    case HOST_IS_RECORDED:
        *result = module_is_recorded(words[1]);
        return True;
    case HOST_ATOMIC:
        atomic_declare(words[1]);
        return True;
    case HOST_ATOMIC_CODE:
        atomic_code_declare(words[1], words[2]);
        return True;
    case HOST_FRESH:
        atomic_forget(words[1], words[2]);
        return True;
    default:
        return False;
    }
}

static void after_options(void)
{
    recorders = VG_(calloc)("preplay.recorders", VG_N_THREADS, sizeof *recorders);
}

static void finish(Int code)
{
    (void)code;
}

static void before_options(void)
{
    VG_(details_name)("preplay");
    VG_(details_version)(NULL);
    VG_(details_description)("the recorder of preplay for unmodified binaries");
    VG_(details_copyright_author)("");
    VG_(details_bug_reports_to)("the makers of preplay");
    VG_(details_avg_translation_sizeB)(500);
    VG_(basic_tool_funcs)(after_options, instrument, finish);
    VG_(needs_client_requests)(handle_request);
    forks_watch();
    VG_(track_start_client_code)(start_running);
    VG_(track_stop_client_code)(stop_running);
    VG_(track_change_mem_mprotect)(constants_protected);
    VG_(track_die_mem_munmap)(modules_unmapped);
    VG_(track_pre_thread_ll_exit)(end_thread);
}

VG_DETERMINE_INTERFACE_VERSION(before_options)
