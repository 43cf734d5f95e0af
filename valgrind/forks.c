/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Children. To Valgrind vfork() is fork(): the child has a copy of the recorders, but
 * the streams' pages are one and the same file. A forked child begins a trace of its
 * own, in the runtime's handler for forks, and is not recorded before; for vfork() and
 * posix_spawn() there is no handler, and what such a child does until it becomes another program is
 * nobody's. */
#include "forks.h"

/* First: the C library's headers make macros of names in this one. */
#include "pub_tool_libcproc.h"
#include "pub_tool_tooliface.h"

#include "tool.h"

#include <linux/sched.h>
#include <sys/syscall.h>

static bool borrowing; /* the memory, until exec: vfork() */

static void before_call(ThreadId thread, UInt number, UWord *words, UInt count)
{
    (void)thread, (void)count;
    switch (number) {
    case SYS_vfork:
        borrowing = true;
        break;
    case SYS_clone:
        borrowing = words[0] & CLONE_VFORK;
        break;
    case SYS_clone3:
        borrowing = words[0] && *(const uint64_t *)words[0] & CLONE_VFORK;
        break;
    default:
        borrowing = false;
        break;
    }
}

static void after_call(ThreadId thread, UInt number, UWord *words, UInt count, SysRes result)
{
    (void)thread, (void)number, (void)words, (void)count, (void)result;
}

static void in_child(ThreadId thread)
{
    struct recorder *self = tool_recorder(thread);
    recorders_forget();
    if (!borrowing || !host_process)
        return;
    atomic_store(&process.recording, false);
    if (self) {
        self->window = self->cursor = self->limit = NULL;
        self->header = NULL;
    }
}

void forks_watch(void)
{
    VG_(needs_syscall_wrapper)(before_call, after_call);
    VG_(atfork)(NULL, NULL, in_child);
}
