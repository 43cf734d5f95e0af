/* SPDX-License-Identifier: MIT */
/* Programs that forbid themselves system calls. Whoever makes one that is not on their list may be
 * killed, and the list is made for the program's calls, not for ours: from here on the runtime
 * makes none that it can do without, and records into the space that was made ready before
 * (space.h). Both ways go through the C library; futex.c passes on what is asked for by number. */
#include "runtime/seal.h"

#include "runtime/process.h"
#include "runtime/real.h"
#include "runtime/space.h"
#include "runtime/system.h"

#include <sys/prctl.h>

_Atomic bool system_sealed;

void seal(void)
{
    if (!process_recording())
        return;
    space_quietly();
    system_sealed = true;
}

/* By another name: its header lets it have any number of arguments. */
EXPORT int control_process(int what, unsigned long a, unsigned long b, unsigned long c,
                           unsigned long d) __asm__("prctl");
EXPORT int control_process(int what, unsigned long a, unsigned long b, unsigned long c,
                           unsigned long d)
{
    if (what == PR_SET_SECCOMP)
        seal();
    return REAL(prctl)(what, a, b, c, d);
}
